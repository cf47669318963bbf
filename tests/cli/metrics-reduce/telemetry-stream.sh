#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Telemetry as records, as rows, and within the input: in front of the run, and
# among its records.
support=$CLI/../support
awk -v requests=120 -f "$support/events.awk" >events
awk -v what='smi vllm' -f "$support/samples.awk" >samples
metrics-reduce --format stream --no-host -z 0 --telemetry samples events |
    grep '"kind":"telemetry"' >records
sed -n '/"0 NVIDIA\|"energy/p; /queries/p; /waiting/p' records
metrics-reduce --format csv --telemetry samples events >rows
sed -n '1p; /telemetry/p; /nvidia-smi.*"0 NVIDIA/p; /energy/p; /queries/p' rows
grep -c nvidia-smi rows
metrics-reduce --format json --telemetry samples events | tr -d '\n' |
    sed 's/.*"telemetry":\[//; s/\],"summaries.*//' >list
{ sed 's/},{/}\n{/g' list && echo; } | cmp - records && echo "json has them, too"

echo "in front"
sse-timestamp --no-host -z 0 samples >first
cat first events | metrics-reduce --format stream --no-host -z 0 |
    grep '"kind":"telemetry"' | cmp - records && echo "the same"
echo "among the records"
awk -v what='smi vllm' -v shift=0 -f "$support/samples.awk" |
    grep '"kind":"sample"' >among
awk -v n="$(wc -l <among)" 'FNR == NR { s[++k] = $0; next }
    FNR == 3 { for (i = 1; i <= k; i++) print s[i] }
    /"kind":"end"/ { match($0, /[0-9]+/)
    sub(/[0-9]+/, substr($0, RSTART, RLENGTH) + n) } { print }' \
    among events | metrics-reduce --format stream --no-host -z 0 |
    grep '"kind":"telemetry"' | cmp - records && echo "the same"
echo "in shards"
cat first events >all
for i in 1 2; do
	metrics-reduce --partial --shard $i/2 --no-host -z 0 all
done | metrics-reduce --format stream --no-host -z 0 |
    grep '"kind":"telemetry"' | cmp - records && echo "the same"
echo "behind"
cat events first | metrics-reduce --format stream --no-host -z 0 |
    grep -c '"kind":"telemetry"' || :
