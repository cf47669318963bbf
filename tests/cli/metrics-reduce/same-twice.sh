#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The same bytes from the same input, in each format.
awk -v requests=50 -f "$CLI/../support/events.awk" >events
for f in stream table json csv; do
	metrics-reduce --no-host --format $f --by isl events >a
	metrics-reduce --no-host --format $f --by isl events >b
	cmp a b && echo same
done
