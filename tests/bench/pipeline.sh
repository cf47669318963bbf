#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Each tool alone, and all of them over pipes.
#
#	pipeline.sh [--json FILE]
#
#	RUNS        5, alternating
#	REQUESTS    4000 requests of TOKENS (250) events each
#	STREAMS     200 at once, one event a read at STREAMS x 50 a second for
#	            the archive's size, as fast as they are taken elsewhere
#	TRACE       1000000 requests for trace-gen
#
# CPU and memory are those of whole processes; in the last row the CPU is that
# of all processes, the memory that of the largest.
# shellcheck disable=SC1091,SC2154,SC2086
set -eu
bench=$(dirname "$0")
. "$bench/lib/common.sh"
requests=${REQUESTS:-4000} tokens=${TOKENS:-250} streams=${STREAMS:-200}
trace=${TRACE:-1000000}
bench_begin pipeline "$@"

# row CELL UNIT N BYTES: a line in $dir/runs from $dir/cost.
row()
{
	jq -c --arg cell "$1" --arg unit "$2" --argjson n "$3" \
	    --argjson bytes "$4" '{cell: $cell, unit: $unit, units: $n,
	    us: (.cpu_s / $n * 1e6), per_cpu_s: ($n / .cpu_s), cpu_s: .cpu_s,
	    wall_s: .wall_s, per_wall_s: ($n / .wall_s), maxrss_kb: .maxrss_kb,
	    bytes: ($bytes / $n), exit: .status}' "$dir/cost" >>"$dir/runs"
}

size()
{
	wc -c <"$1"
}

replay()
{
	cost "$dir/cost" trace-replay -q ${REPLAY:-} --url "$server_url" \
	    --model m --warmup 0 --concurrency "$streams" -o "$dir/wire" \
	    --force "$@" >/dev/null || echo "trace-replay: exit $?" >&2
}

each_tool()
{
	n=$((requests * tokens))
	cost "$dir/cost" trace-gen -q --isl 500,100 --osl 200,50 --arrivals \
	    poisson --rate 1000 --count "$trace" -o "$dir/big" --force
	row 'trace-gen' request "$trace" "$(size "$dir/big")"
	trace-gen -q --isl 16 --osl "$tokens" --count "$requests" \
	    -o "$dir/trace" --force
	pump -k 20
	replay "$dir/trace"
	row 'trace-replay, saturated, 20 events a write' event "$n" \
	    "$(size "$dir/wire")"
	stop
	cost "$dir/cost" sse-timestamp -q "$dir/wire" -o "$dir/events" --force
	row 'sse-timestamp' event "$n" "$(size "$dir/events")"
	cost "$dir/cost" metrics-reduce -q "$dir/events" -o "$dir/metrics" \
	    --force
	row 'metrics-reduce' event "$n" "$(size "$dir/metrics")"
}

# Answers as they come from a model, one event a read: what the archive takes.
archive()
{
	set --
	! has trace-serve --text || set -- --text prose
	serve --ttft 20ms --itl 20ms,2ms --role start --tail 1ms "$@"
	count=$((streams * 3)) n=$((streams * 3 * 100))
	trace-gen -q --isl 16 --osl 100 --count "$count" -o "$dir/trace" \
	    --force
	replay "$dir/trace"
	row 'archive, one event a read' event "$n" "$(size "$dir/wire")"
	stop
	cost "$dir/cost" sse-timestamp -q "$dir/wire" -o "$dir/events" --force
	row 'events of that archive' event "$n" "$(size "$dir/events")"
}

compare()
{
	pump -k 20
	trace-gen -q --isl 16 --osl "$tokens" --count 200 -o "$dir/trace" \
	    --force
	trace-replay -q --arm "A=$server_url" --arm "B=$server_url" --model m \
	    --rounds 20 --concurrency 50 -o "$dir/wire" --force "$dir/trace" \
	    >/dev/null
	sse-timestamp -q "$dir/wire" | metrics-reduce -q -o "$dir/metrics" \
	    --force
	cost "$dir/cost" ab-compare -q "$dir/metrics" >"$dir/report" || :
	row 'ab-compare, k = 20' pair 20 "$(size "$dir/report")"
	# shellcheck disable=SC2016
	cost "$dir/cost" sh -c '
	trace-gen -q --isl 16 --osl "$1" --count 400 |
	    trace-replay -q --arm "A=$2" --arm "B=$2" --model m --rounds 8 \
	    --concurrency 50 | sse-timestamp -q | metrics-reduce -q |
	    ab-compare -q >"$3"; [ -s "$3" ]' pipe "$tokens" "$server_url" \
	    "$dir/report"
	row 'all over pipes, 16 runs, k = 8' event $((400 * tokens * 16)) \
	    "$(size "$dir/report")"
	stop
}

run=1
while [ "$run" -le "$runs" ]; do
	each_tool
	archive
	compare
	run=$((run + 1))
done
medians >"$dir/rows"
jq -r '
def r2: . * 100 | round / 100;
"\(.cell), n = \(.runs) of \(.units) \(.unit)s: \(.us | r2) us CPU each, \(.per_cpu_s | round) per CPU-s, \(.per_wall_s | round) per s, \(.maxrss_kb / 1024 | round) MiB, \(.bytes | r2) bytes each, exit \(.exit)"' "$dir/rows"
bench_end
