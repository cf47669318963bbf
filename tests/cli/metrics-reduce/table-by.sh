#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The whole first, then each group; requests listed below.
awk -v requests=120 -v fail=40 -f "$CLI/../support/events.awk" |
    metrics-reduce --format table --by isl --worst 2 --worst-by gap \
	--slo ttft=120ms,gap=16ms | sed -n '/^metric/,$p'
