#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What a label holds does not reach the terminal as it is.
awk -v a='a\\u001b[2J' -v b='b' -f "$FIXTURES/compare/session.awk" >in
ab-compare in | LC_ALL=C tr -d '\n -~' | wc -c
ab-compare in | head -n 1
