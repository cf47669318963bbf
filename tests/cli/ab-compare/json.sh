#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One document, which says what the table says.
awk -v itl=1.05 -f "$FIXTURES/compare/session.awk" >in
ab-compare --no-host --format json --margin 2% in >doc
echo $?
jq -c '.format, .version, (.prov | map([.id, .from, .tool])), (.comparisons | length)' doc
jq -c '.comparisons[2], (.verdict | del(.design.runs))' doc
jq -c '.verdict.design.runs | length, .[0]' doc
ab-compare --no-host --format json --margin 2% -o file in
echo $?
jq '.prov = 0' doc >one
jq '.prov = 0' file >two
cmp one two
