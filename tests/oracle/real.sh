#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What ab-compare finds on this machine between servers that are equal, and
# between some of which B decodes 5 % slower: real sessions, not simulated.
#
# usage: [SHARE=I/N] real.sh DIR [SESSIONS [SLOWER]]
#	real.sh --bound FOUND N
#
#	DIR       has a line for each session in sessions.tsv; called again, those
#	          that it lacks are played, so a series can be stopped
#	SHARE     play only each N-th session, from the I-th on: N of them, from
#	          0/N to N-1/N, then make a series with one DIR together
#	SESSIONS  of equal arms (200)
#	SLOWER    in which B takes 5 % longer from token to token (30)
#	--bound   print the exact upper 95 % bound of a share (Clopper and
#	          Pearson, one-sided) of which FOUND of N were found
#
# A session is 6 pairs of runs, AB or BA in balanced blocks, drawn.  A run is a
# trace-serve started for it, with a seed of its own, and 40 requests in a
# closed loop of 8: TTFT 20 ms (sd 10 %), ITL 2 ms (sd 5 %), 60 tokens.  All go
# through trace-replay, sse-timestamp, metrics-reduce and ab-compare as they are
# if nothing is asked for.  Every run ends within a minute.  Exits 0 when the
# series is complete, 2 for misuse, 4 when a run fails.
# shellcheck disable=SC1091,SC2154
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
top=$(CDPATH='' cd -- "$here/../.." && pwd)
PATH="${B:-$top/build/release}/bin:$PATH"
. "$top/tests/support/server.sh"

pairs=6
ttft=20ms,2ms
itl_equal=2ms,0.1ms
itl_slower=2.1ms,0.105ms

misuse() {
	echo "real: $*" >&2
	exit 2
}

whole() {
	case $1 in
	'' | *[!0-9]*) misuse "'$1' is no whole number" ;;
	esac
}

# bound FOUND N: the share of which FOUND or fewer have a chance of 5 %.
bound() {
	awk -v found="$1" -v n="$2" '
	function at_most(share,    i, term, sum) {
		term = n * log(1 - share)
		for (i = 0; i <= found; i++) {
			sum += exp(term)
			if (i < n)
				term += log((n - i) / (i + 1) * share / (1 - share))
		}
		return sum
	}
	BEGIN {
		if (found >= n) {
			print "1.000"
			exit
		}
		low = found / n
		high = 1
		for (step = 0; step < 60; step++) {
			middle = (low + high) / 2
			if (middle < 1 && at_most(middle) > .05)
				low = middle
			else
				high = middle
		}
		printf "%.3f\n", high
	}'
}

if [ "${1:-}" = --bound ]; then
	[ $# -eq 3 ] || misuse "--bound takes two numbers"
	whole "$2"
	whole "$3"
	if [ "$2" -gt "$3" ] || [ "$3" = 0 ]; then misuse "$2 of $3"; fi
	bound "$2" "$3"
	exit 0
fi
if [ $# -lt 1 ] || [ $# -gt 3 ]; then
	misuse "real.sh DIR [SESSIONS [SLOWER]]"
fi
out=$1 sessions=${2:-200} slower=${3:-30}
whole "$sessions"
whole "$slower"
share=${SHARE:-0/1}
whole "${share%/*}"
whole "${share#*/}"
[ "${share%/*}" -lt "${share#*/}" ] || misuse "SHARE=$share"
mkdir -p "$out"
table=$out/sessions.tsv
plan="pairs=$pairs ttft=$ttft itl=$itl_equal slower=$itl_slower"
if [ -s "$table" ]; then
	[ "$(sed -n 's/^# //p' "$table")" = "$plan" ] ||
	    misuse "$table is of another plan: $(head -n 1 "$table")"
else
	echo "# $plan" >"$table"
fi
dir=$(mktemp -d "${TMPDIR:-/tmp}/llmtape-real.XXXXXX")
# shellcheck disable=SC2317 # called by the trap
cleanup() {
	trap '' INT TERM HUP
	server_stop
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# centiseconds: since the machine was started.
centiseconds() {
	read -r up _ </proc/uptime
	echo "${up%.*}${up#*.}"
}

# cpu: hundredths of a second that this shell and its children have used.
cpu() {
	times >"$dir/times"
	tr 'ms' '  ' <"$dir/times" |
	    awk '{ s += 60 * ($1 + $3) + $2 + $4 } END { printf "%d\n", 100 * s }'
}

# arms SESSION PAIR: in their order; two pairs are a block.
arms() {
	printf '%s.%s' "$1" $((($2 + 1) / 2)) | sha256sum | cut -c1 |
	    awk -v pair="$2" '{
		swap = index("0123456789abcdef", $1) + pair
		print swap % 2 ? "A B" : "B A" }'
}

# play SESSION PAIR ARM ITL SEED: one run of one server.
play() {
	run=$dir/$2-$3
	server_start "$dir/server.log" --for 60s --ttft "$ttft" --itl "$4" \
	    --slots 64 --seed "$5"
	code=0
	timeout 60 trace-replay -q --arm "$3=$server_url" --round "$2" \
	    --session "$1" --concurrency 8 --max-failed 100% --force \
	    -o "$run.tape" "$dir/trace" >/dev/null || code=$?
	server_stop
	if [ "$code" -ne 0 ]; then
		echo "real: trace-replay ended with $code in session $1" >&2
		exit 4
	fi
	timeout 60 sse-timestamp -q "$run.tape" |
	    timeout 60 metrics-reduce -q --force -o "$run.metrics"
}

# judge KIND NUMBER WALL CPU: the line of a session.
judge() {
	code=0
	timeout 60 ab-compare -q --arms A,B -z 0 --force -o "$dir/report" \
	    "$dir"/*.metrics 2>"$dir/refusal" || code=$?
	case $code in
	0 | 1 | 6) ;;
	*)
		cat "$dir/refusal" >&2
		exit 4
		;;
	esac
	jq -rn --arg kind "$1" --arg number "$2" --arg wall "$3" --arg cpu "$4" \
	    --arg load "$(cut -d' ' -f1 /proc/loadavg)" --arg code "$code" '
	def names: if length == 0 then "-" else join(",") end;
	reduce inputs as $r ({ verdict: null, rows: [] };
	    if $r.kind == "verdict" then .verdict = $r
	    elif $r.kind == "comparison" then .rows += [$r] else . end) |
	(.rows[] | select(.metric == "itl")) as $itl |
	[$kind, $number, (if $code == "6" then "refused" else
	    .verdict.overall end), (.verdict.losses // [] | names),
	    (.verdict.wins // [] | names),
	    ([.rows[] | select(.status == "possible-loss") |
	    "\(.phase)/\(.metric)/\(.statistic)"] | names),
	    $itl.ratio, $itl.ci.lo, $itl.ci.hi, $wall, $cpu, $load] |
	    @tsv' "$dir/report" >"$dir/line"
	[ -s "$dir/line" ] || printf '%s\t%s\trefused\t-\t-\t-\t-\t-\t-\t%s\t%s\t-\n' \
	    "$1" "$2" "$3" "$4" >"$dir/line"
	cat "$dir/line" >>"$table"
}

# session KIND NUMBER ITL-OF-B
session() {
	wall=$(centiseconds)
	cpu >"$dir/cpu"
	used=$(cat "$dir/cpu")
	rm -f "$dir"/*.metrics "$dir"/*.tape "$dir/report"
	seed=$(($2 * 100))
	[ "$1" = equal ] || seed=$((seed + 1000000))
	pair=1
	while [ $pair -le $pairs ]; do
		for arm in $(arms "$1-$2" $pair); do
			seed=$((seed + 1))
			itl=$itl_equal
			[ "$arm" = A ] || itl=$3
			play "$1-$2" $pair "$arm" "$itl" $seed
		done
		pair=$((pair + 1))
	done
	cpu >"$dir/cpu"
	judge "$1" "$2" $(($(centiseconds) - wall)) \
	    $(($(cat "$dir/cpu") - used))
}

# series KIND COUNT ITL-OF-B: those of this share that are not in the table yet.
series() {
	number=0
	while [ $number -lt "$2" ]; do
		number=$((number + 1))
		[ $((number % ${share#*/})) -eq "${share%/*}" ] || continue
		! grep -q "^$1	$number	" "$table" || continue
		[ ! -t 2 ] || printf '\r%s arms: session %d of %d ' "$1" \
		    $number "$2" >&2
		session "$1" $number "$3"
	done
	[ ! -t 2 ] || printf '\r%60s\r' '' >&2
}

trace-gen -q --isl 32 --osl 60 --count 40 -o "$dir/trace"
series equal "$sessions" "$itl_equal"
series slower "$slower" "$itl_slower"
"$here/real-table.sh" "$table"
