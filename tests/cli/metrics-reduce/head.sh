#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A reader that leaves ends it quietly.
awk -v requests=2000 -f "$CLI/../support/events.awk" >events
for f in stream table json csv; do
	metrics-reduce -q -z 0 --no-host --format $f --by isl events |
	    head -n 1 | cut -c 1-40
done
