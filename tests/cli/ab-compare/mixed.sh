#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Wins beside losses: a loss is one.
awk -v ttft=0.9 -v itl=1.05 -f "$FIXTURES/compare/session.awk" >in
ab-compare in >out
echo $?
sed '1,/^phase/d' out
