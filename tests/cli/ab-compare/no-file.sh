#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
ab-compare nowhere.metrics
echo $?
awk -v only=A -f "$FIXTURES/compare/session.awk" >a
ab-compare --a a --b nowhere.metrics
echo $?
