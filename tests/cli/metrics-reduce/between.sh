#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Three runs of one arm, 0, 1 and 2 ms slower, and one of another arm: the means
# of ttft have an sd of 1 ms, so the interval over the runs is -+ 4.302653 ms /
# sqrt(3) = 2.484138 ms.
awk -v requests=20 -f "$CLI/../support/events.awk" >one
runs() {
    head -1 one
    n=0
    for spec in A:0 A:1 B:5 A:2; do
        n=$((n + 1))
        sed -n '2,$p' one | grep -v '"kind":"end"' |
            jq -c --arg arm "${spec%:*}" --argjson ms "${spec#*:}" \
                --argjson run $n '.run = $run |
            if .kind == "run" and .at == "start" then
                .arm = $arm | .round = $run else . end |
            if .events then .events.t_ns |= map(. + $ms * 1000000)
            else . end'
    done
    tail -1 one | jq -c '.records *= 4'
}
runs >events
metrics-reduce -z 0 --converge ttft=1% events >out
jq -c 'select(.n_runs and .metric == "ttft") | [.run, .arm, .n_runs, .n,
    (.sd | round), ((.ci.hi - .ci.lo) / 2 | round), .ci.basis, .min, .max,
    .runs_needed, .quantile_ci[0].basis, (.quantiles.p50 | round)]' out
jq -s -c '[.[] | select(.kind == "summary" and .metric == "ttft" and
    (.group | not) and .arm == "A" and (.n_runs | not)) | .mean] |
    [., add / 3]' out
jq -c 'select(.n_runs and .metric == "ttft") | .mean' out
jq -c 'select(.n_runs and .metric == "failed_ratio") |
    [.value, .ci.lo, .ci.hi]' out
echo '-- json'
metrics-reduce --format json events |
    jq -c '.segments[0] | [(.runs | length), (.between | length > 10),
        (.between[] | select(.metric == "latency") | .n_runs)]'
echo '-- table'
metrics-reduce --format table --converge ttft=1% events |
    sed -n '/^between/,$p'
metrics-reduce --format table --converge ttft=50% events | grep '^converge'
echo '-- by'
metrics-reduce -z 0 --by isl events |
    jq -c 'select(.n_runs and .metric == "ttft") | [.group, .n_runs, .n]'
echo '-- one run'
metrics-reduce --format table one | grep -c '^between'
metrics-reduce --format table --converge ttft=1% one | sed -n '/^between/,$p'
for aim in nothing=1% ttft ttft=0 ttft=x; do
    metrics-reduce --converge $aim one || echo "exit $?"
done
echo 'in CSV, without run:'
metrics-reduce --format csv events | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["metric"] == "ttft" && $at["n_runs"] != "" {
        printf "[%s] %s %s %d %.0f %s %s\n", $at["run"], $at["arm"],
            $at["n_runs"], $at["n"], ($at["ci_hi"] - $at["ci_lo"]) / 2,
            $at["ci_basis"], ($at["p50_lo"] < $at["p50"])
    }'
