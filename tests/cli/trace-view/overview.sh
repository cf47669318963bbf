#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What each format is; plain and compressed are the same but for what is stored.
for f in trace wire events metrics report; do
	cp "$FIXTURES/v1/$f.zst" .
	trace-view $f.zst || echo "exit $?"
	cp "$FIXTURES/v1/$f.jsonl" $f
	trace-view $f.zst | grep -v -e '^  stored' -e '^  integrity' \
	    -e '^  index' -e segment | sed 's/[.]zst:/:/' >compressed
	trace-view $f | grep -v -e '^  stored' -e '^  integrity' -e segment >plain
	cmp compressed plain
done 2>/dev/null
