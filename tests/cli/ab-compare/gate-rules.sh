#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Rules that are none, each with its line.
awk -v pairs=3 -f "$FIXTURES/compare/session.awk" >in
while IFS= read -r rule; do
	printf '# a gate\n\nkeep itl 2%%\n%s\n' "$rule" >rules
	ab-compare --gate rules in >out
	echo "$?"
done <<'END'
hold itl 2%
keep itl
keep itl 2% please
keep colour 2%
keep ttft 0
keep ttft two
keep itl 3%
bound ttft < 800ms
bound ttft-p99 <= 800ms
bound ttft-p99 < 800
bound ttft-p99 < 0s
bound output > fast
bound failed < 150%
bound a b c d e f
keep ttft 2% é
END
printf '# nothing\n' >rules
ab-compare --gate rules in
echo $?
i=0
while [ $i -lt 70 ]; do echo "bound ttft-p99 < ${i}ms"; i=$((i + 1)); done >rules
ab-compare --gate rules in
echo $?
ab-compare --gate missing in
echo $?
ab-compare --undecided warn in
echo $?
