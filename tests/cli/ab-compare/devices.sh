#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Devices: shown of each run, warned of where they drift, refused where others.
session() { awk "$@" -f "$FIXTURES/compare/session.awk"; }

session -v pairs=3 -v da="GPU0 1980 301.4 61" -v db="GPU0 1905 288 66" >in
ab-compare in >out
echo $?
sed -n '/^round/,/^$/p;/differs/p' out
ab-compare --format json in | jq -c '.verdict.design.runs[0]'
ab-compare --format markdown in | grep '^| round'
# Alike: nothing is said.
session -v da="GPU0 1980 300 61" -v db="GPU0 1975 290 63" | ab-compare |
    grep -c differs
# Another device.
session -v da="GPU0 1980 300 61" -v db="GPU1 1980 300 61" >in
ab-compare in | grep '^refused'
ab-compare --vary device in | grep -c '^refused'
# That of one arm is not known.
session -v da="GPU0 1980 300 61" | ab-compare | grep -c '^refused'
:
