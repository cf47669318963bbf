#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The engine's profile beside a run, in a table, as rows and as a record; then
# one of other work, and one that is slower than the client.
support=$CLI/../support
awk -v requests=120 -f "$support/events.awk" |
    sed 's/"concurrency":8/"concurrency":1/' >events
cat >profile <<'END'
{
    "context_cache": {"plans": {"standard": 3}},
    "eagle_generation": {
        "acceptance_rate": 0.625,
        "average_accept_length": 2.5,
        "overall_tokens_per_second_excluding_base_prefill": 78.0,
        "total_generated_tokens": 480,
        "total_iterations": 192,
        "total_runs": 120
    },
    "peak_cpu_memory_bytes": 1395864371,
    "peak_gpu_memory_bytes": 7730941132,
    "prefill": {
        "average_time_per_token_ms": 0.2,
        "computed_tokens": 31800,
        "reused_tokens": 20480,
        "tokens_per_second": 5123.4,
        "total_runs": 120
    },
    "stages": []
}
END
part()
{
	sed -n '/clocks/,/^$/p'
}
metrics-reduce --format table --offline profile events | part
metrics-reduce --format csv --offline profile events | grep 'edge-llm\|accept'
metrics-reduce --format stream --no-host -z 0 --offline profile events |
    sed -n '/"kind":"engine"/p; /"name":"engine/p'
metrics-reduce --format json --offline profile events | tr -d '\n' |
    sed 's/.*\("engine":{[^}]*}\).*/\1/'
echo
echo "other work, and twice as fast"
sed 's/total_generated_tokens": 480/total_generated_tokens": 481/
    s/31800/31801/; s/78.0/156/; /acceptance_rate/d' profile >other
metrics-reduce --format table --offline other events | part
echo "half as fast, without speculation"
sed 's/eagle_generation/generation/; s/total_generated/generated/
    s/overall_tokens_per_second_excluding_base_prefill": 78.0/tokens_per_second": 39/' \
    profile >slow
metrics-reduce --format table --offline slow events | part
echo "at other concurrency"
sed 's/"concurrency":1/"concurrency":2/' events |
    metrics-reduce --format table --offline profile | part
echo "without usage"
awk -v requests=120 -v usage=0 -f "$support/events.awk" |
    metrics-reduce --format table --offline profile | part
echo "acceptance of the server's metrics"
awk -v what=vllm -f "$support/samples.awk" >samples
metrics-reduce --format table --telemetry samples events | part
echo "acceptance of counters in answers"
awk -v requests=120 -f "$support/events.awk" | sed 's/"finish":\[/"server_timing":{"timings":{"draft_n":4,"draft_n_accepted":3}},&/' |
    metrics-reduce --format table | part
