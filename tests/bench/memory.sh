#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Memory of trace-replay for each open stream.
#
#	memory.sh [--json FILE]
#
#	STREAMS     100 1000 10000, all open at once
#	RUNS        5, alternating
#	REPLAY      further options for trace-replay
#
# The resident memory is read while most sockets are open (a few are no
# streams), and the streams have got few events; what a stream costs is the
# difference to the run with the fewest.
# Every request must end well: with 10,000 streams that is a finding, too.
# Descriptors are raised as far as the hard limit goes, by the tools themselves.
# shellcheck disable=SC1091,SC2154
set -eu
bench=$(dirname "$0")
. "$bench/lib/common.sh"
streams_all=${STREAMS:-100 1000 10000}
bench_begin memory "$@"

status_kb()
{
	sed -n "s/^$1:[^0-9]*\([0-9]*\).*/\1/p" "/proc/$2/status" 2>/dev/null
}

sockets()
{
	find "/proc/$1/fd" -lname 'socket:*' 2>/dev/null | wc -l
}

# one STREAMS: 6 events begin 2 s after a request has come, 1 s apart, or more
# where it takes longer until all are open.
one()
{
	serve --ttft 2s --itl "$((1000 + $1 / 3))ms" --role first --stamp
	trace-gen -q --isl 16 --osl 6 --count "$1" -o "$dir/trace" --force
	# shellcheck disable=SC2086
	taskset -c "$client_core" timeout 120 trace-replay -q ${REPLAY:-} \
	    --url "$server_url" --model llmtape --warmup 0 --concurrency "$1" \
	    -o "$dir/wire" --force "$dir/trace" >/dev/null &
	watched=$!
	pids="$pids $watched"
	rss=0 hwm=0 open=0
	while pid=$(pgrep -P "$watched" trace-replay) || kill -0 "$watched"; do
		[ -n "$pid" ] || { sleep 0.1; continue; }
		now=$(status_kb VmRSS "$pid") || :
		n=$(sockets "$pid")
		[ -z "$now" ] || [ "$n" -lt "$open" ] || {
			open=$n
			rss=$now
		}
		now=$(status_kb VmHWM "$pid") || :
		[ -z "$now" ] || hwm=$now
		sleep 0.2
	done 2>/dev/null
	wait "$watched" && code=0 || code=$?
	stop
	zstdcat "$dir/wire" >"$dir/plain"
	jq -n -c --argjson streams "$1" --argjson rss "$rss" \
	    --argjson hwm "$hwm" --argjson open "$open" --argjson code "$code" \
	    --argjson failed "$(grep -c '^{"kind":"exchange".*"error":{' \
	        "$dir/plain" || :)" \
	    --argjson ended "$(grep -c '^{"kind":"exchange"' "$dir/plain" || :)" \
	    --argjson body "$(wc -c <"$dir/plain")" '
	{cell: "\($streams) streams", streams: $streams, open: $open,
	 rss_kb: $rss, hwm_kb: $hwm, exit: $code, done: $ended, failed: $failed,
	 in_hand_kb: ($body / 1024 / $streams)}' >>"$dir/runs"
}

run=1
while [ "$run" -le "$runs" ]; do
	for n in $streams_all; do
		one "$n"
	done
	run=$((run + 1))
done
medians | jq -s -c '(min_by(.streams)) as $least | .[] | . + {
    kb_per_stream: (if .open > $least.open then
        (.rss_kb - $least.rss_kb) / (.open - $least.open)
    else null end)}' >"$dir/rows"
jq -r '"\(.cell) (\(.open) sockets open at once), n = \(.runs): resident \(.rss_kb) KiB, peak \(.hwm_kb) KiB, \(if .kb_per_stream then .kb_per_stream * 100 | round / 100 else "-" end) KiB a stream (with at most \(.in_hand_kb * 10 | round / 10) in hand); \(.done) done, \(.failed) failed, exit \(.exit)"' "$dir/rows"
bench_end
