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
# A record has it, too, as the table says it.
ab-compare --shape --format json in | jq -r '.comparisons[] | select(.shape) |
    .metric, (.shape | ([.ratio, .lo, .hi][] | map(. * 1000 | round)),
    ([.cliff_delta, .cliff_lo, .cliff_hi] | map(. * 100 | round))) | @json'
ab-compare --format json in | grep -c '"shape"'
ab-compare --shape -z 0 --format stream in | jq -c 'select(.kind == "comparison") |
    .shape.ratio | length' | paste -s -
awk -v pairs=2 -f "$session" | ab-compare --shape | grep -c decile
