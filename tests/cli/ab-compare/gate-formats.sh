#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What became of a gate, in every format.
awk -v itl=1.05 -f "$FIXTURES/compare/session.awk" >in
printf 'keep itl 2%%\nkeep ttft 2%%\nbound ttft-p50 < 360ms\nbound latency-p50 > 9s\nkeep latency-p99 1%%\n' >rules
ab-compare --gate rules --format json in | jq -c '.verdict.gate, .verdict.exit_code'
ab-compare --gate rules --format markdown in | sed -n '/^\*\*gate/,/^$/p'
ab-compare --gate rules --format markdown in | grep '^| keep\|^| bound'
ab-compare --gate rules --format benchstat in | sed -n '/^gate/,$p'
ab-compare --gate rules --format junit in | grep -A 1 'ab-compare.gate\|<testsuite '
ab-compare --gate rules --undecided warn --format junit in | grep '<testsuite '
ab-compare --gate rules --undecided pass --format junit in | grep '<testsuite '
ab-compare --gate rules -o out.report in
echo $?
zstd -dcq out.report | grep -c '"gate":{"passed":false'
