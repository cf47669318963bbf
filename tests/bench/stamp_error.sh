#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The error of event times, event by event: trace-serve --stamp writes the time
# of each send into the event, and the client's time is set against it.
#
#	STREAMS   100     streams at once
#	RATE      50      events a second and stream
#	SECONDS_  60      length of a run
#	RUNS      3
#
# Prints, for each run, |event time - stamp| in us: p50, p99, p99.9, max; the
# server's own lateness; and how many events there were.
# shellcheck disable=SC1091,SC2154
set -eu
streams=${STREAMS:-100} rate=${RATE:-50} secs=${SECONDS_:-60} runs=${RUNS:-3}
. "$(dirname "$0")/../support/server.sh"
dir=$(mktemp -d "${TMPDIR:-/tmp}/llmtape-bench.XXXXXX")
trap 'server_stop; rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM

itl_us=$((1000000 / rate))
tokens=$((rate * secs))
server_start "$dir/log" --ttft 200ms,50ms --itl "${itl_us}us" \
    --slots "$streams" --stamp
trace-gen --isl 16 --osl "$tokens" --count "$streams" -o "$dir/trace"

quantiles() {
	sort -n | awk -v unit="$1" '
	{ v[NR] = $1 }
	function q(p, i) {
		i = int(p * NR) + 1
		return v[i > NR ? NR : i] / 1000
	}
	END {
		printf "p50 %.1f  p99 %.1f  p99.9 %.1f  max %.1f %s  n %d\n",
		    q(.5), q(.99), q(.999), v[NR] / 1000, unit, NR
	}'
}

run=1
while [ "$run" -le "$runs" ]; do
	trace-replay -q --url "$server_url" --concurrency "$streams" \
	    --warmup 0 -o "$dir/wire" --force "$dir/trace" >/dev/null
	sse-timestamp -z 0 "$dir/wire" |
	    jq -r 'select(.kind == "response") | .events |
	        [.t_ns, .server_ns, .server_late_ns] | transpose[] |
	        select(.[1] != null and .[1] != -1) |
	        "\(.[0] - .[1] | if . < 0 then -. else . end) \(.[2])"' \
	        >"$dir/errors"
	printf 'run %d error:     ' "$run"
	cut -d' ' -f1 "$dir/errors" | quantiles us
	printf 'run %d server late: ' "$run"
	cut -d' ' -f2 "$dir/errors" | quantiles us
	run=$((run + 1))
done
