#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each ends with 2 and one line.
for args in --bogus '--alpha 0.7' '--alpha x' '--margin 0' '--margin 200%' \
    '--seed -1' '--vary model,colour' '--vary model,' '--vary=' '--arms A' \
    '--arms A,' '--arms A,B,C' '--arms A,A' '--a x' '--b x' '--a x --b y --arms A,B' \
    '--format xml'; do
	# shellcheck disable=SC2086
	ab-compare $args </dev/null
	echo "$args: $?"
done 2>&1
# A file that is neither A's nor B's.
ab-compare --a "$FIXTURES/v1/metrics.jsonl" --b "$FIXTURES/v1/metrics.jsonl" -- x
echo $?
