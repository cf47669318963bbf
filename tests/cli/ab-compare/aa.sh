#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The noise floor: of equal arms, of one deployment, and of arms that differ.
session="$FIXTURES/compare/session.awk"
awk -v pairs=6 -v noise=.01 -v seed=2 -f "$session" >two
ab-compare --aa two >out
echo $?
sed '1,/^noise/{/^noise/!d}' out
# One label, or none, is one deployment; here with the turns of the arms.
sed 's/"arm":"[AB]"/"arm":"x"/' two | ab-compare --aa >one
sed 's/"arm":"[AB]",//' two | ab-compare --aa | cmp one
sed 1,2d one | cmp - out | wc -l
grep -c half one
awk -v pairs=6 -v itl=1.05 -f "$session" | ab-compare --aa | grep '^! false'
ab-compare --aa --format stream -z 0 two |
    grep -o -e '"sd":[0-9.]*' -e '"aa":true' | cut -c 1-10
# The same figures in a document, of rows that have noise.
ab-compare --aa --format json two | jq -c '.comparisons[] | select(.floor) |
    [.metric, .statistic, (.floor.largest * 1e4 | round)],
    [.floor.needs[] | [.effect_ratio, .pairs, .pairs_upper]],
    (.floor | del(.largest, .needs) | map_values(. * 100 | round))'
ab-compare --format json two | grep -c '"floor"'
ab-compare --aa --sequential two
