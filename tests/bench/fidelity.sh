#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The error of the client's times, event by event, against the times that
# trace-serve --stamp has put into them.
#
#	fidelity.sh [--json FILE]
#
#	QUIET, BUSY   cells to be run alone, and with a busy process on the
#	              client's core: STREAMSxTOKENS_PER_S[:SHAPE]; shapes are
#	              staggered (arrivals at a constant rate), lockstep (the
#	              server's batch steps), restart (fixed lengths that begin,
#	              end and begin again together)
#	OVER          5000x100, once: beyond what the machine can do, so that
#	              the run's own verdict is what counts
#	RUNS          5, of each cell, alternating
#	SPAN          2, seconds that are measured in a run
#	REPLAY        options for trace-replay, as --spin
#	SERVE         options for trace-serve: --spin auto, where it has that
#
# Of each cell the medians over the runs: events; |user time - stamp| and
# |kernel time - stamp|; events marked m; TTFT against the server's own; sd of
# gap errors, largest gap error; the server's own lateness; and how the run's
# own record of itself (user - kernel) compares with the truth (user - stamp).
# shellcheck disable=SC1091,SC2154
set -eu
bench=$(dirname "$0")
. "$bench/lib/common.sh"
quiet=${QUIET-1x100 10x100 100x100 500x100 1000x100 100x50 1000x50 \
1000x50:lockstep 1000x50:restart 5000x20 10000x10}
busy=${BUSY-100x50 1000x50 1000x50:lockstep}
over=${OVER-5000x100}
span=${SPAN:-2}
bench_begin fidelity "$@"
if [ -z "${SERVE+set}" ] && has trace-serve --spin; then
	SERVE='--spin auto'
fi

# The cell's server.  What comes with the first and the last token has a time of
# its own, so that an event that shares a read shares it because the client was
# late, by as much as between any two tokens.
start_server()
{
	set -- --ttft 50ms --itl "$((1000000 / rate))us" --role start \
	    --tail "$((1000000 / rate))us" --stamp
	case $shape in
	lockstep)
		set -- "$@" --cadence batch
		;;
	esac
	# shellcheck disable=SC2086
	serve ${SERVE:-} "$@"
}

# Arrivals at a constant rate keep so many streams open; those of a closed loop
# begin together.
make_trace()
{
	per_s=$(awk "BEGIN { print $streams / $answer }")
	case $shape in
	restart)
		count=$(awk "BEGIN { print $streams * \
		    (1 + int($span / $answer + 0.999)) }")
		set --
		;;
	*)
		count=$(awk "BEGIN { n = $per_s * ($answer + $span); \
		    print int(n < 3 ? 3 : n) }")
		set -- --arrivals constant --rate "$per_s"
		;;
	esac
	trace-gen -q --isl 16 --osl "$tokens" --count "$count" "$@" \
	    -o "$dir/trace" --force
}

# one CELL BUSY: a run, a line in $dir/runs.
one()
{
	cell=$1 loaded=$2
	streams=${cell%%x*} shape=staggered
	rate=${cell#*x}
	case $cell in
	*:*) shape=${cell#*:} rate=${rate%%:*} ;;
	esac
	[ "$shape" != lockstep ] || has trace-serve --cadence || {
		echo "$cell: this trace-serve has no batch steps: left out" >&2
		return 0
	}
	# Answers of a second or two; half of that where there are thousands.
	tokens=$((rate >= 50 ? 100 : 2 * rate))
	answer=$(awk "BEGIN { print 0.05 + $tokens / $rate }")
	make_trace
	start_server
	set -- --url "$server_url" --warmup 0 --model llmtape -o "$dir/wire" \
	    --force
	[ "$shape" != restart ] || set -- "$@" --concurrency "$streams"
	[ "$loaded" = 0 ] || spin
	# shellcheck disable=SC2086
	cost "$dir/cost" trace-replay -q ${REPLAY:-} "$@" "$dir/trace" \
	    >/dev/null || echo "$cell: trace-replay: exit $?" >&2
	spin_end
	stop
	sse-timestamp -q "$dir/wire" -o "$dir/events" --force
	to=$(awk "BEGIN { print $answer + $span }")
	[ "$shape" != restart ] || to=1000
	"$B/bench/event_error" -l "$dir/serve.log" -f "$answer" -t "$to" \
	    "$dir/events" >"$dir/errors"
	jq -c --arg cell "$streams x $rate, $shape" --argjson busy "$loaded" \
	    --slurpfile cost "$dir/cost" '. + {
	    cell: ($cell + (if $busy == 1 then ", busy core" else "" end)),
	    cpu_s: $cost[0].cpu_s, wall_s: $cost[0].wall_s,
	    own_p50_ratio: (if (.lag.n > 0 and .user.p50 > 0)
	        then .lag.p50 / .user.p50 else null end),
	    own_p99_ratio: (if (.lag.n > 0 and .user.p99 > 0)
	        then .lag.p99 / .user.p99 else null end)}' \
	    "$dir/errors" >>"$dir/runs"
	rm -f "$dir/wire" "$dir/events"
}

run=1
while [ "$run" -le "$runs" ]; do
	for cell in $quiet; do
		one "$cell" 0
	done
	for cell in $busy; do
		one "$cell" 1
	done
	run=$((run + 1))
done
for cell in $over; do
	one "$cell" 0
done
medians >"$dir/rows"
jq -r '
def us: if . == null then "-" else . / 1000 | if . < 100 then
    (. * 10 | round / 10 | tostring) else (round | tostring) end end;
def four: [.p50, .p99, .p999, .max] | map(us) | join(" / ");
def pct: if . == null then "-" else (. * 100000 | round / 1000 | tostring) end;
def two: if . == null then "-" else . * 100 | round / 100 | tostring end;
"\(.cell)   [\(.events) events, \(.requests) requests, \(.failed) failed, n = \(.runs), \(.verdict), loop at \(.loop_cpu_ratio | pct) %]",
"  user - stamp    us  \(.user | four)   (p50 / p99 / p99.9 / max)",
"  kernel - stamp  us  \(.kernel | four)",
"  as used         us  \(.best | four)",
"  k / m / u        %  \(.k_ratio | pct) / \(.m_ratio | pct) / \(.u_ratio | pct)",
"  TTFT error      us  \(.ttft | four); from sent \(.ttft_sent | four); first event \(.ttft_first | four)",
"  gap error       us  sd \(.gap.sd_diff | us) (by user times \(.gap_user.sd_diff | us)), p99 \(.gap.p99 | us), max \(.gap.max | us); gap sd \(.gap.sd_client | us), the server'"'"'s \(.gap.sd_server | us)",
"  server late     us  \(.late | four)",
"  own / truth         p50 \(.own_p50_ratio | two), p99 \(.own_p99_ratio | two)   (own p50 / p99 us: \(.lag.p50 | us) / \(.lag.p99 | us); in its record \(.own.p50 | us) / \(.own.p99 | us))"
' "$dir/rows"
bench_end
