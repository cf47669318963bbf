#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
awk -v requests=100 -f "$CLI/../support/events.awk" |
    sed 's/"arm":"A"/"arm":"A, \\"new\\""/' |
    metrics-reduce --format csv --by isl,site
# Intervals stand behind all that was there before; what has none is empty.
echo 'intervals:'
awk -v requests=100 -f "$CLI/../support/events.awk" >events
metrics-reduce --format csv events | awk -F, 'NR == 1 {
    for (i = 1; i <= NF; i++) at[$i] = i; n = NF; next }
    { bad += NF != n }
    $at["metric"] == "ttft" || $at["metric"] == "gap" ||
    $at["metric"] == "failed_ratio" || $at["metric"] == "requests_per_s" {
        print $at["metric"], "n_eff:" $at["n_eff"], $at["ci_lo"] "-" \
            $at["ci_hi"], $at["ci_basis"], $at["p50_lo"] "-" $at["p50_hi"], \
            $at["p90_lo"] "-" $at["p90_hi"], $at["p99_lo"] "-" $at["p99_hi"]
    }
    END { print bad + 0 " rows of another length" }'
echo 'as in the stream:'
metrics-reduce -z 0 events | jq -r 'select(.metric == "ttft") |
    [.n_eff, .ci.lo, .ci.hi, (.quantile_ci[] | select(.q == 0.5 or .q == 0.9 or
    .q == 0.99) | .lo, .hi)] | map(. // "") | join(" ")'
