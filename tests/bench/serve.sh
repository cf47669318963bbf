#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# How late trace-serve's own events are, by streams and rate, each stream on its
# own clock or all ticking together, and what an event costs it; then how many
# events a second it can send at most.
#
#	serve.sh [--json FILE]
#
#	RUNS            5 of each, alternating
#	SERVE_SECONDS   5 of each run that count, after WARM (3) in which the
#	                streams are opened
#	LOADS           '1x50 100x50 1000x50 1000x100 5000x20 10000x10'
#	CADENCES        'steady spin batch': spin is steady with --spin auto
#
# The client only reads, by epoll, on a core of its own.  Late is when a token
# event was sent less when it was due, in us; p50, p99 and the largest are of
# one run each, a row has their medians, and the worst of all runs.  In a batch
# all events are due at the step, so that the last one of a burst is late by the
# burst.  CPU is of the server's process.  Saturated rows are tokens that are due
# at once, one or 20 of them a write.
# shellcheck disable=SC1091,SC2154
set -eu
bench=$(dirname "$0")
. "$bench/lib/common.sh"
seconds=${SERVE_SECONDS:-5}
warm=${WARM:-3}
bench_begin serve "$@"

# one CELL OPTION ...: a run, as a line of $dir/runs.
one()
{
	cell=$1
	shift
	SERVER_CORE=$server_core CLIENT_CORE=$client_core \
	    timeout 120 "$B/bench/serve" -w "$warm" "$@" >"$dir/one" ||
	    { echo "serve $*: exit $?" >&2; return; }
	jq -c --arg cell "$cell" '{cell: $cell} + .' "$dir/one" >>"$dir/runs"
}

i=0
while [ $i -lt "$runs" ]; do
	i=$((i + 1))
	for load in ${LOADS:-1x50 100x50 1000x50 1000x100 5000x20 10000x10}; do
		for cadence in ${CADENCES:-steady spin batch}; do
			case $cadence in
			spin) option='-s auto' ;;
			batch) option=-b ;;
			*) option= ;;
			esac
			# shellcheck disable=SC2086
			one "$load $cadence" $option "${load%x*}" "${load#*x}" \
			    "$seconds"
		done
	done
	one 'saturated, one a write' 100 0 "$seconds"
	one 'saturated, 20 a write' -m 20 100 0 "$seconds"
done

# Of saturated streams lateness says nothing.
medians | jq -c --slurpfile all "$dir/runs" '. as $row |
    . + {late_worst_us: ([$all[] | select(.cell == $row.cell) |
	.late_max_us] | max)} |
    if .tokens_per_s == 0 then with_entries(
	select(.key | startswith("late_") | not)) else . end' >"$dir/rows"
printf '%-24s %9s %9s %9s %10s %10s %8s %6s %9s %2s\n' 'streams x tokens/s' \
    events/s 'p50 us' 'p99 us' 'max us' 'worst us' 'cpu us' 'cpu %' events n
jq -r '[.cell, .events_per_s, .late_p50_us, .late_p99_us, .late_max_us,
    .late_worst_us, .cpu_us, .cpu_percent, .n, .runs] |
    map(if . == null then "-" elif type == "number" then
	(. * 10 | round / 10 | tostring) else . end) | @tsv' "$dir/rows" |
    awk -F '\t' '{ printf "%-24s %9s %9s %9s %10s %10s %8s %6s %9s %2s\n", $1,
	$2, $3, $4, $5, $6, $7, $8, $9, $10 }'
bench_end
