#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One input and one seed: the same bytes, with more pairs than can be listed.
awk -v pairs=42 -v prompts=6 -v itl=1.002 -f "$FIXTURES/compare/session.awk" >in
for format in table json stream; do
	ab-compare --no-host --format $format in >one
	ab-compare --no-host --format $format in >two
	cmp one two
done
ab-compare in | sed -n 2p
ab-compare in | grep '^decode   itl'
ab-compare --seed 2 in | grep '^decode   itl' | cut -c 1-57
