#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What all measures beyond basic; a narrow table is the same with either; and
# what a stall is.
awk -v requests=20 -v tokens=30 -f "$CLI/../support/events.awk" >events
for set in basic all; do
	metrics-reduce --metrics $set --format csv events | cut -d, -f7 >"$set"
	metrics-reduce --metrics $set --format table events >"$set.table"
done
diff basic all | sed -n 's/^[<>]/&/p'
cmp basic.table all.table && echo 'tables are the same'
for k in 1.1 1.3; do
	metrics-reduce --stall-ratio $k --format csv events |
	    awk -F, -v k=$k '$7 ~ "^stall(s|_time|ed_ratio)$" {
		print k, $7, $13 $14 }'
done
metrics-reduce --stall-ratio 1 events
echo "exit $?"
