#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Whole distributions, decile by decile; they decide nothing.
session="$FIXTURES/compare/session.awk"
awk -v itl=1.05 -v ttft=.9 -f "$session" >in
ab-compare --shape in >with
echo $?
sed -n '/^decile/,/^overall/p' with
ab-compare in >without
sed '/^decile/,/^$/d' with | cmp - without
awk -v pairs=2 -f "$session" | ab-compare --shape | grep -c decile
