#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What a summary says of its own precision, by the number of requests.
for n in 15 45 90 150; do
    awk -v requests=$n -f "$CLI/../support/events.awk" |
        metrics-reduce -z 0 --slo ttft=100ms >out
    jq -c 'select(.metric == "latency") | [.n, .n_eff <= .n, .ci.basis,
        (.ci | if . then .lo < .hi else "none" end),
        [(.quantile_ci // [])[] | [.q, has("lo"), has("hi")]],
        .n_mean_2pct > 20, .outliers]' out
    jq -c 'select(.metric == "good_ratio") | [.value, .ci.lo, .ci.hi |
        . * 1000 | round]' out
done
# Gaps of a request are no independent values.
jq -c 'select(.metric == "gap") | [.ci, .n_eff, .quantile_ci, .mad]' out
