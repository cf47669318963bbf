#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares two deployments that do not fit on one device: pairs of runs in drawn
# order, the server started anew for every run, until there are enough.
#
# usage: run.sh --start-a CMD --start-b CMD --url URL [option ...] TRACE
#	        [-- OPTION-OF-TRACE-REPLAY ...]
#
#	--start-a CMD        starts A, the baseline: the server itself, or what
#	                     leaves one behind; it is in a group of processes of
#	                     its own, which is ended after the run
#	--stop-a CMD         what has to be done before, to stop it
#	--start-b, --stop-b  the same for B, the candidate
#	--url URL            where both answer; or --url-a, --url-b
#	--name-a, --name-b   their names (A, B)
#	--pairs N            pairs of runs (6)
#	--until-decided      add pairs as long as ab-compare --sequential asks for
#	                     more, up to --pairs (then 20)
#	--order NAME         balanced (AB BA or BA AB, drawn), random, fixed
#	--seed N             of the order (1)
#	--nvidia-smi, --tegrastats, --prometheus URL, each also as OPTION=CMD
#	                     sample the device or the server during each run, as
#	                     telemetry-sample does
#	--warmer N           degrees by which the device may be warmer before a run
#	                     than it was before the first (3)
#	--fuller N           MiB by which its memory may be fuller (256)
#	--settle TIME        but wait for that at most so many seconds (600)
#	--cooldown N         seconds to wait before every run (0)
#	--aa                 B is A again: what this set-up finds when there is
#	                     nothing to find
#	--margin M, --alpha P, --primary LIST, --vary LIST
#	                     as ab-compare takes them
#	-o, --output DIR     (ab-run) tapes, metrics, telemetry, the servers' logs
#
# Called again with the same words it goes on behind the last whole pair.  It
# stops when a server dies.  Exits as ab-compare does; 2 for misuse, 4 when a
# server does not answer or dies.
# shellcheck disable=SC1091,SC2034,SC2154 # some are used by eval
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
top=$(CDPATH='' cd -- "$here/../.." && pwd)
PATH="${B:-$top/build/release}/bin:$PATH"
. "$top/analysis/lib/deploy.sh"

start_a='' start_b='' stop_a='' stop_b='' url_a='' url_b='' name_a=A name_b=B
pairs='' until_decided=no order=balanced seed=1 sources='' warmer=3 fuller=256
settle=600 cooldown=0 aa=no compare='' out=ab-run trace=''

misuse() {
	echo "ab-run: $*" >&2
	exit 2
}

# quote WORD: so that eval takes it as one.
quote() {
	printf "'%s' " "$(printf %s "$1" | sed "s/'/'\\\\''/g")"
}

while [ $# -gt 0 ]; do
	case $1 in
	--until-decided) until_decided=yes; shift; continue ;;
	--aa) aa=yes; shift; continue ;;
	--nvidia-smi | --tegrastats | --nvidia-smi=* | --tegrastats=* | \
	    --prometheus=*)
		sources="$sources$(quote "$1")"
		shift
		continue
		;;
	-h | --help)
		sed -n '/^# usage/,/^# server/s/^# \{0,1\}//p' "$0"
		exit 0
		;;
	--) shift; break ;;
	--*=*) misuse "write ${1%%=*} and its value apart" ;;
	-*) [ $# -gt 1 ] || misuse "$1 needs a value, or is unknown" ;;
	*)
		[ -z "$trace" ] || misuse "one trace: $trace and $1"
		trace=$1
		shift
		continue
		;;
	esac
	case $1 in
	--start-a) start_a=$2 ;;
	--start-b) start_b=$2 ;;
	--stop-a) stop_a=$2 ;;
	--stop-b) stop_b=$2 ;;
	--url) url_a=$2 url_b=$2 ;;
	--url-a) url_a=$2 ;;
	--url-b) url_b=$2 ;;
	--name-a) name_a=$2 ;;
	--name-b) name_b=$2 ;;
	--pairs) pairs=$2 ;;
	--order) order=$2 ;;
	--seed) seed=$2 ;;
	--prometheus) sources="$sources$(quote "$1=$2")" ;;
	--warmer) warmer=$2 ;;
	--fuller) fuller=$2 ;;
	--settle) settle=$2 ;;
	--cooldown) cooldown=$2 ;;
	--margin | --alpha | --primary | --vary)
		compare="$compare$(quote "$1")$(quote "$2")" ;;
	-o | --output) out=$2 ;;
	*) misuse "unknown option $1" ;;
	esac
	shift 2
done
if [ "$aa" = yes ]; then
	start_b=$start_a stop_b=$stop_a url_b=$url_a
fi
[ -n "$start_a" ] || misuse "--start-a is needed"
[ -n "$start_b" ] || misuse "--start-b is needed, or --aa"
[ -n "$url_a" ] || misuse "--url is needed"
[ -n "$url_b" ] || misuse "--url-b is needed"
[ -n "$trace" ] || misuse "a trace is needed"
[ -r "$trace" ] || misuse "cannot read $trace"
[ "$name_a" != "$name_b" ] || misuse "both arms are called $name_a"
case $order in
balanced | random | fixed) ;;
*) misuse "--order is balanced, random or fixed" ;;
esac
if [ "$until_decided" = yes ]; then : "${pairs:=20}"; else : "${pairs:=6}"; fi
for n in "$pairs" "$seed" "$warmer" "$fuller" "$settle" "$cooldown"; do
	case $n in
	'' | *[!0-9]*) misuse "'$n' is no whole number" ;;
	esac
done
[ "$pairs" -gt 0 ] || misuse "--pairs is at least 1"

# What cannot change when it goes on.
plan() {
	printf '%s\n' "start_a=$start_a" "start_b=$start_b" "url_a=$url_a" \
	    "url_b=$url_b" "name_a=$name_a" "name_b=$name_b" "order=$order" \
	    "seed=$seed" "sources=$sources" "options=$*" \
	    "trace=$(cksum <"$trace")"
}

mkdir -p "$out"
if [ -e "$out/plan" ]; then
	plan "$@" | diff "$out/plan" - >&2 ||
	    misuse "$out holds runs of another plan, see above: name another" \
	        "--output, or remove it"
else
	plan "$@" >"$out/plan"
	date +%s%N | sha256sum | cut -c1-16 >"$out/session"
fi
session=$(cat "$out/session")
replay='' sampler='' stop=''

# ended PID SIGNAL: of a child of ours, with a bound.
ended() {
	[ -n "$1" ] || return 0
	kill -s TERM "$1" 2>/dev/null || :
	left=100
	while [ $left -gt 0 ] && kill -s 0 "$1" 2>/dev/null; do
		sleep 0.1
		left=$((left - 1))
	done
	kill -s KILL "$1" 2>/dev/null || :
	wait "$1" 2>/dev/null || :
}

# shellcheck disable=SC2317 # called by the trap
clean() {
	trap '' INT TERM HUP
	[ -z "$replay" ] || kill -s TERM "$replay" 2>/dev/null || :
	ended "$replay"
	ended "$sampler"
	deploy_stop "$stop"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# drawn N: 0 or 1, by the seed.
drawn() {
	printf '%s.%s' "$seed" "$1" | sha256sum | cut -c1 |
	    awk '{ print index("0123456789abcdef", $1) % 2 }'
}

# arms PAIR: in their order.
arms() {
	case $order in
	fixed) echo a b; return ;;
	random) swap=$(drawn "$1") ;;
	*) swap=$((($(drawn $((($1 + 1) / 2))) + $1) % 2)) ;;
	esac
	if [ "$swap" = 0 ]; then echo a b; else echo b a; fi
}

# device: the highest temperature and the memory in use, in whole numbers; 0
# where there is none.
device() {
	eval telemetry-sample -q -z 0 --no-host --every 500ms --for 700ms \
	    "$sources" 2>>"$out/telemetry.err" |
	    grep '"kind":"sample"' | tail -n 64 | tr '{,}' '[\n*]' | awk -F: '
	/"[a-z_]*temperature_c":/ { if ($2 > hot) hot = $2 }
	/"(memory|ram)_used_mib":/ { if ($2 > used) used = $2 }
	END { printf "%d %d\n", hot, used }'
}

# too_busy DEGREES MIB: against hot and used.
too_busy() {
	[ "$1" -gt $((hot + warmer)) ] || [ "$2" -gt $((used + fuller)) ]
}

# rested: waits until the device is about as it was before the first run.
rested() {
	[ "$cooldown" = 0 ] || sleep "$cooldown"
	[ -n "$sources" ] || return 0
	if [ ! -s "$out/first" ]; then
		device >"$out/first"
		return 0
	fi
	read -r hot used <"$out/first"
	began=$(date +%s)
	told=no
	while now=$(device) && too_busy "${now% *}" "${now#* }"; do
		state="${now% *} degrees and ${now#* } MiB, $hot and $used before the first run"
		if [ $(($(date +%s) - began)) -ge "$settle" ]; then
			echo "ab-run: goes on though the device is at $state" |
			    tee -a "$out/warnings" >&2
			return 0
		fi
		[ $told = yes ] || echo "ab-run: waits: the device is at $state" >&2
		told=yes
		sleep 1
	done
}

# mourn: ends it all when the server has died.
mourn() {
	deploy_died || return 0
	echo "ab-run: the server ended with status $deploy_status during" \
	    "$name; its last lines, of $deploy_log:" >&2
	tail -n 5 "$deploy_log" >&2
	exit 4
}

# watch: waits for the replay, or for the death of its server.
watch() {
	while kill -s 0 "$replay" 2>/dev/null; do
		mourn
		sleep 0.1
	done
	code=0
	wait "$replay" || code=$?
	replay=''
	[ "$code" -le 1 ] || mourn
}

# play PAIR ARM OPTION ...: one run, which counts when its metrics are there.
play() {
	pair=$1 arm=$2
	shift 2
	eval "start=\$start_$arm stop=\$stop_$arm url=\$url_$arm label=\$name_$arm"
	name=$(printf 'r%02d-%s' "$pair" "$arm")
	echo "ab-run: pair $pair of $pairs, $label" >&2
	rested
	deploy_start "$out/$name.log" "$start"
	if [ -n "$sources" ]; then
		eval telemetry-sample -q --force -o '"$out/$name.telemetry"' \
		    "$sources" '2>>"$out/telemetry.err"' '&'
		sampler=$!
	fi
	trace-replay -q --arm "$label=$url" --round "$pair" \
	    --session "$session" --wait-ready --max-failed 100% --force "$@" \
	    -o "$out/$name.tape" "$trace" >/dev/null &
	replay=$!
	watch
	ended "$sampler"
	sampler=''
	deploy_stop "$stop"
	if [ "$code" -gt 1 ]; then
		echo "ab-run: stops at $name; the server's log: $out/$name.log" >&2
		exit "$code"
	fi
	sse-timestamp -q "$out/$name.tape" |
	    metrics-reduce -q --force -o "$out/$name.metrics" ${sources:+
	    --telemetry "$out/$name.telemetry"}
}

# whole PAIR: whether both of its runs are there.
whole() {
	both=$(printf "$out/r%02d" "$1")
	[ -s "$both-a.metrics" ] && [ -s "$both-b.metrics" ]
}

# look PAIRS: exits 7 when more are wanted, of those that are whole.
look() {
	set -- "$1" "$out"/r*.metrics
	n=$1
	shift
	last=$(printf '%s/look-%02d.report' "$out" $((n - 1)))
	[ -s "$last" ] || last=''
	eval ab-compare -q --arms '"$name_a,$name_b"' --sequential \
	    --max-pairs "$pairs" "$compare" ${last:+--looked '"$last"'} \
	    --force -o '"$(printf "%s/look-%02d.report" "$out" "$n")"' '"$@"'
}

n=1
while [ "$n" -le "$pairs" ]; do
	if ! whole "$n"; then
		rm -f "$out"/r"$(printf %02d "$n")"-*
		for a in $(arms "$n"); do
			play "$n" "$a" "$@"
		done
	fi
	if [ "$until_decided" = yes ]; then
		code=0
		look "$n" || code=$?
		[ "$code" = 7 ] || [ "$n" -lt 3 ] || break
	fi
	n=$((n + 1))
done
code=0
[ "$until_decided" = no ] ||
    compare="--sequential --max-pairs $pairs $compare"
[ "$aa" = no ] || compare="--aa $compare"
eval ab-compare --arms '"$name_a,$name_b"' "$compare" '"$out"/r*.metrics' \
    >"$out/report.txt" || code=$?
cat "$out/report.txt"
if [ -s "$out/warnings" ]; then sed 's/^/! /' "$out/warnings"; fi
exit "$code"
