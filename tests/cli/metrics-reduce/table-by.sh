#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Wide: the whole first, then each group, requests listed below; and the points.
awk -v requests=120 -v fail=40 -f "$CLI/../support/events.awk" |
    metrics-reduce --format table --wide --metrics basic --by isl --worst 2 --worst-by gap \
	--slo ttft=120ms,gap=16ms | sed -n '/^metric/,$p' | cut -c -80
