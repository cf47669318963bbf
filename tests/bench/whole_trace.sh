#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A whole public trace through the pipeline: is every id answered exactly once,
# and does trace-replay's memory grow with the trace?
#
#	FORMAT    mooncake
#	TRACE     ../shared/data/traces/mooncake/conversation_trace.jsonl
#	SPEEDUP   50
#	FIRST     1200    rows of the shorter run that memory is set against
#
# Prints, for the first rows and for all: requests, ids that were not answered
# exactly once, peak memory of trace-replay, time, size of the archive.
# shellcheck disable=SC1091,SC2154
set -eu
format=${FORMAT:-mooncake} speedup=${SPEEDUP:-50} first=${FIRST:-1200}
trace=${TRACE:-../shared/data/traces/mooncake/conversation_trace.jsonl}
if [ ! -r "$trace" ]; then
	echo "whole_trace: $trace is not here: skipped"
	exit 0
fi
. "$(dirname "$0")/../support/server.sh"
dir=$(mktemp -d "${TMPDIR:-/tmp}/llmtape-bench.XXXXXX")
trap 'server_stop; rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
server_start "$dir/log" --ttft 5ms,1ms --itl 200us --slots 4000

for limit in "$first" 1000000000; do
	trace-gen --from "$format" --speedup "$speedup" --limit "$limit" \
	    -o "$dir/trace" "$trace"
	begin=$(date +%s.%N)
	trace-replay -q --url "$server_url" -o "$dir/wire" --force \
	    "$dir/trace" >/dev/null &
	pid=$!
	peak=0
	while kill -0 $pid 2>/dev/null; do
		now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' \
		    "/proc/$pid/status" 2>/dev/null || :)
		[ -z "$now" ] || peak=$now
		sleep 0.1
	done
	wait $pid || echo "trace-replay: exit $?"
	end=$(date +%s.%N)
	sse-timestamp "$dir/wire" | metrics-reduce -o "$dir/metrics"
	zstdcat "$dir/metrics" | jq -r \
	    'select(.kind == "result" and .stage == "measure" and .ok) | .id' |
	    sort | uniq -c | awk -v peak="$peak" -v b="$begin" -v e="$end" \
	    -v size="$(wc -c <"$dir/wire")" '
	    { n++; bad += $1 != 1 }
	    END {
		printf "%d ids, %d not exactly once, peak %.1f MiB, %.1f s, " \
		    "archive %.1f MB\n", n, bad, peak / 1024, e - b, size / 1e6
	    }'
done
