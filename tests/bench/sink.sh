#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# sink: what the writer's thread of trace-replay costs for an event, and how
# large the archive becomes, by what is kept: of answers recorded from
# trace-serve, one event a read and merged, played through the sink again.
# The median of 5 runs.
#
#	ARCHIVE  a recorded wire archive, to be measured besides
set -eu
tmp=$(mktemp -d)
trap 'server_stop; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
# shellcheck source=tests/support/server.sh
. "$(dirname "$0")/../support/server.sh"

# record NAME CONCURRENCY OPTION ...
record()
{
	name=$1 open=$2
	shift 2
	server_start "$tmp/log" "$@"
	trace-replay -q --url "${server_url:?}" --warmup 0 --concurrency "$open" \
	    -o "$tmp/$name" "$tmp/trace" >/dev/null
	server_stop
}

# measure NAME FILE: a line for each of what can be kept.
measure()
{
	for keep in raw events times; do
		for _ in 1 2 3 4 5; do
			"$B/bench/sink" $keep 10 "$2" /dev/null
		done | jq -rs --arg name "$1" 'sort_by(.us_per_event)[2] |
		    "\($name), \(.keep): \(.us_per_event) us an event, " +
		    "\((.events_per_cpu_s / 1e4 | round) / 100) M events/CPU-s, " +
		    "\(.bytes_per_event) bytes an event"'
	done
}

trace-gen -q --isl 64 --osl 256 --count 300 -o "$tmp/trace"
record single 100 --ttft 40ms --itl 20ms,2ms
record merged 4 --ttft 1ms --itl 0
measure 'one event a read' "$tmp/single"
measure 'merged' "$tmp/merged"
[ -z "${ARCHIVE:-}" ] || measure "$ARCHIVE" "$ARCHIVE"
