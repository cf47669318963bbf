#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A run of ten million requests in metrics-reduce: from the stream to a table,
# with all of the memory and with little, and from the values in memory to their
# summaries.
#
#	scale.sh [--json FILE]
#
#	RUNS        3, alternating
#	REQUESTS    10000000 of EVENTS (2) events each
#	MEMORY      256 MiB for --max-memory; the kernel then allows no more than
#	            PRIVATE (400) MiB of private memory, as a small machine would
#
# CPU is that of the whole process, of values that of the summary alone.
# shellcheck disable=SC1091,SC2154
set -eu
bench=$(dirname "$0")
runs_here=${RUNS:-3}
. "$bench/lib/common.sh"
requests=${REQUESTS:-10000000} events=${EVENTS:-2}
memory=${MEMORY:-256} private=${PRIVATE:-400}
LIMIT=${LIMIT:-900}
bench_begin scale "$@"

# stream CELL COMMAND...: a line in $dir/runs.
stream()
{
	cell=$1
	shift
	"$B/bench/reduce_feed" "$requests" "$events" |
	    cost "$dir/cost" "$@" >"$dir/out"
	jq -c --arg cell "$cell" --argjson n "$requests" '{cell: $cell,
	    cpu_s, wall_s, mib: (.maxrss_kb / 1024), exit: .status,
	    us: (.cpu_s / $n * 1e6)}' "$dir/cost" >>"$dir/runs"
}

# values CELL THREADS [basic]
values()
{
	cell=$1
	shift
	"$B/bench/summary" "$requests" "$@" | jq -c --arg cell "$cell" \
	    '{cell: $cell, cpu_s, wall_s, columns}' >>"$dir/runs"
}

run=1
while [ "$run" -le "$runs_here" ]; do
	stream 'stream to summary' metrics-reduce --format table
	# shellcheck disable=SC2016
	stream 'stream to summary, little memory' sh -c 'ulimit -d "$1"
	    exec metrics-reduce --format table --max-memory "$2M"' \
	    little $((private * 1024)) "$memory"
	values 'values to summary' 1
	values 'values to summary, two threads' 2
	values 'values to summary, basic metrics' 1 basic
	run=$((run + 1))
done
medians | jq -c --argjson n "$requests" '. + {
    quantity: "\($n / 1e6) M requests, \(.cell), CPU", unit: "s",
    value: .cpu_s} + if .cell | test("^stream") then {must: 60, goal: 20}
    else {must: 10, goal: 3} end' >"$dir/rows"
jq -r '
def r2: . * 100 | round / 100;
"\(.cell), n = \(.runs): \(.cpu_s | r2) s CPU, \(.wall_s | r2) s by the clock" +
if .mib then ", \(.mib | round) MiB with what the kernel holds of files, exit \(.exit)"
else ", \(.columns) metrics with values" end' "$dir/rows"
bench_end
