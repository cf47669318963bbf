#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# From the requests of a run we compute what its tool states of it: the largest
# relative difference of any mean, quantile, smallest and largest value.
r=$FIXTURES/results
summaries() {
	metrics-reduce -z 0 --import "$@" | jq -c 'select(.kind == "summary")'
}
summaries aiperf "$r/aiperf-0.13.0.jsonl" >ours
summaries aiperf "$r/aiperf-0.13.0-summary.json" >theirs
jq -n -r --slurpfile ours ours --slurpfile theirs theirs '
def numbers: {mean, sd, min, max} + .quantiles | to_entries[] |
    select(.value != null);
($ours | map({(.metric): .}) | add) as $o |
$theirs[] | select(.mean != null) | .metric as $m |
[numbers | .key as $k | .value as $v |
    ($o[$m] | [numbers | select(.key == $k)][0].value) as $w |
    select($w != null) | ($v - $w | fabs) / (($v | fabs) + 1e-9)] |
"aiperf \($m): \(length) numbers, \(if max < 1e-9 then "equal" else max end)"'
r=$r/vllm-0.33.0-detailed.json
summaries vllm "$r" | jq -r --slurpfile v "$r" '
{ttft: "ttft", tpot: "tpot", gap: "itl"}[.metric] as $name |
select($name != null) |
[.mean - $v[0]["mean_\($name)_ms"] * 1e6,
    .quantiles.p50 - $v[0]["median_\($name)_ms"] * 1e6,
    .sd * (1 - 1 / .n | sqrt) - $v[0]["std_\($name)_ms"] * 1e6] |
map(fabs) | "vllm \($name): \(if max < 2 then "equal to 2 ns" else max end)"'
