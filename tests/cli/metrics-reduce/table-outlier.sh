#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One answer that took a minute is counted, kept, and said to move the mean.
awk -v requests=60 -f "$CLI/../support/events.awk" |
    sed '/"id":"r30"/ {
        s/"t_ns":\[[0-9]*,[0-9]*,[0-9]*,[0-9]*,[0-9]*\]/"t_ns":[60000000000,60010000000,60020000000,60030000000,60040000000]/
        s/"end_ns":[0-9]*/"end_ns":62000000000/
    }' >out
metrics-reduce -z 0 out | jq -c 'select(.metric == "ttft") |
    [.n, .outliers, .max, .mean > 2 * .mean_without]'
metrics-reduce --format table out | grep '^outliers\|^95 %'
