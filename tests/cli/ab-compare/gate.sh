#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A gate decides: rows that must be kept, bounds on the candidate alone.
session() { awk "$@" -f "$FIXTURES/compare/session.awk"; }
gate()
{
	ab-compare --gate rules "$@" >out
	echo "exit $?"
	sed -n '/^gate/,/^[^ g]/p' out | grep '^gate\|^  '
}

cat >rules <<'END'
# Decode may be a little slower, no more.
keep itl 2%        # one per mille is fine
keep ttft-p99 10%
keep failed 2%
bound ttft-p99 < 800ms
bound itl-p50 < 12ms
bound output > 900
bound failed < 5%
END
session -v itl=1.01 >in
gate in
# Lost by more than the margin.
session -v itl=1.05 >in
gate in
# 12 of 192 failed, and a bound that is missed.
session -v fail=2 >in
gate in
sed -i '/failed/d; s/800ms/600ms/' rules
gate in

# What nothing was shown of.
echo 'keep ttft 1%' >rules
session -v noise=0.02 >in
gate in
gate --undecided warn in
gate --undecided pass in

# No comparison: bounds are judged for themselves.
session -v pairs=2 >in
echo 'keep itl 5%' >rules
gate in
echo 'bound itl-p50 < 12ms' >>rules
gate in
session -v only=B >B
echo 'bound itl-p50 < 12ms' >rules
session -v pairs=3 >in
gate in
session -v blocked=1 >in
gate in
