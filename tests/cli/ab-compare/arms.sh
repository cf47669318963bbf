#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Three arms: each against the first, one family; or two that are named.
session="$FIXTURES/compare/session.awk"
# Six rounds of x, y, z, each first in turn; z has slower tokens.
awk -v pairs=9 -f "$session" | awk '
	match($0, /"run":[0-9]+/) {
		n = substr($0, RSTART + 6, RLENGTH - 6) - 1
		round = int(n / 3) + 1
		arm = substr("xyz", (n + round) % 3 + 1, 1)
		sub(/"arm":"[AB]"/, "\"arm\":\"" arm "\"")
		sub(/"round":[0-9]+,"position":[0-9]+/,
		    "\"round\":" round ",\"position\":" n % 3 + 1)
		if (arm == "z" && match($0, /"tpot_ns":[0-9.]+/))
			$0 = substr($0, 1, RSTART + 9) \
			    1.1 * substr($0, RSTART + 10, RLENGTH - 10) \
			    substr($0, RSTART + RLENGTH)
	}
	{ print }' >in
ab-compare in >out
echo $?
grep -v -e '^ ' -e '^round' out
ab-compare --arms y,x,z --format json in |
    grep -o -e '"arm_a":"y","arm_b":"[xz]","pairs":6,"exit' \
	-e '"verdicts":' -e '"family_size":[0-9]*'
ab-compare --arms y,x in | sed -n '1,2p; /^decode   itl/p; /^- runs/p'
ab-compare --arms y,nobody in | sed '1,/^$/d'
# A suite each.
ab-compare --format junit in | grep "<testsuite "
ab-compare --arms x,x in
ab-compare --arms x in
