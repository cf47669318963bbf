#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the writer's thread of trace-replay costs for an event, and how large the
# archive becomes, by what is kept: of answers recorded from trace-serve, one
# event a read and merged, played through the sink again.
#
#	sink.sh [--json FILE]
#
#	RUNS     5, alternating
#	ARCHIVE  a recorded wire archive, to be measured besides
# shellcheck disable=SC1091,SC2154
set -eu
bench=$(dirname "$0")
. "$bench/lib/common.sh"
bench_begin sink "$@"

# record NAME CONCURRENCY OPTION ...
record()
{
	name=$1 open=$2
	shift 2
	serve "$@"
	on_client trace-replay -q --url "$server_url" --warmup 0 \
	    --concurrency "$open" -o "$dir/$name" "$dir/trace" >/dev/null
	stop
}

# The client's core.
on_client()
{
	taskset -c "$client_core" "$@"
}

# measure CELL FILE: each way once.
measure()
{
	for keep in raw events times; do
		on_client "$B/bench/sink" $keep 10 "$2" /dev/null |
		    jq -c --arg cell "$1, $keep" '. + {cell: $cell}' \
		    >>"$dir/runs"
	done
}

trace-gen -q --isl 64 --osl 256 --count 300 -o "$dir/trace"
record single 100 --ttft 40ms --itl 20ms,2ms
record merged 4 --ttft 1ms --itl 0
for _ in $(seq "$runs"); do
	measure 'one event a read' "$dir/single"
	measure 'merged' "$dir/merged"
	[ -z "${ARCHIVE:-}" ] || measure "$ARCHIVE" "$ARCHIVE"
done
medians | while read -r row; do
	bench_row "$row"
	echo "$row" | jq -r '"\(.cell): \(.us_per_event) us an event, " +
	    "\((.events_per_cpu_s / 1e4 | round) / 100) M events/CPU-s, " +
	    "\(.bytes_per_event) bytes an event"'
	bench_row "$(echo "$row" | jq -c '{cell, runs, unit: "M", more: true,
	    quantity: "\(.cell): events by the writer'"'"'s thread alone, per CPU-s",
	    value: (.events_per_cpu_s / 1e6)}')"
	bench_row "$(echo "$row" | jq -c '{cell, runs, value: .bytes_per_event,
	    quantity: "\(.cell): archive, bytes an event"} +
	    if .keep == "raw" then {must: 24, goal: 12} else {} end')"
done
bench_end
