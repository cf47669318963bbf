#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A bad line in the middle: the numbers of what came before, and its place.
awk -v requests=5 -f "$CLI/../support/events.awk" | sed '7s/"x"/"x" 1/' >bad
metrics-reduce -q --format csv bad | cut -d, -f7,11,12 | sed -n 1,3p
metrics-reduce -o out bad
echo $?
zstdcat out | tail -n 1
awk -v requests=5 -f "$CLI/../support/events.awk" |
    sed '7s/"clk":"k/"clk":"/' >short
metrics-reduce -o out short
echo $?
awk -v requests=2 -f "$CLI/../support/events.awk" |
    sed '6s/"run":1/"run":2/' >mixed
metrics-reduce --format csv -o out mixed
echo $?
