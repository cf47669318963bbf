#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Measures a server at each point of a grid: input lengths, output lengths, and
# load; one row a point.  With --find it looks for the highest load that an
# objective allows.
#
# usage: run.sh --url URL [option ...] [-- OPTION-OF-TRACE-REPLAY ...]
#
#	--isl N,...          input tokens (512)
#	--osl N,...          output tokens (128)
#	--concurrency N,...  requests open at a time (1)
#	--rate R,...         instead: requests per second, Poisson
#	--requests N         measured at a point (10, or 5 x concurrency if more)
#	--warmup N           before, at each point (2, or concurrency if more)
#	--slo LIST           objectives, as metrics-reduce takes them:
#	                     ttft=500ms,tpot=50ms
#	--find               the highest load of which --attain of the requests
#	                     meet --slo, between the levels given, by bisection
#	--attain P%          (99%)
#	--start CMD          start the server anew for each point; the command gets
#	                     ISL, OSL, CONCURRENCY and RATE in its environment
#	--stop CMD           how it is stopped, where ending CMD's processes is not
#	                     enough
#	-o, --output DIR     traces, tapes, events, metrics and the server's log
#	                     (sweep); points that are there already are kept
#
# Every point has prompts of its own, so that none finds another's in a cache.
# The points are played from the smallest load to the largest, and the table is
# metrics-reduce's, --by isl,osl and the load.  Exits 0; 1 when some requests of
# a point failed or nothing meets the objective; 2 for misuse; 4 when a server
# does not answer.
# shellcheck disable=SC1091,SC2154
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
top=$(CDPATH='' cd -- "$here/../.." && pwd)
PATH="${B:-$top/build/release}/bin:$PATH"
. "$top/analysis/lib/deploy.sh"

url='' isls=512 osls=128 levels='' axis=concurrency requests='' warmup=''
slo='' find=no attain=99 start='' stop='' out=sweep

usage() {
	sed -n '/^# usage/,/^# does not/s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

misuse() {
	echo "sweep: $*" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	--find) find=yes; shift; continue ;;
	--) shift; break ;;
	-h | --help) usage ;;
	--*=*) misuse "write ${1%%=*} and its value apart" ;;
	esac
	[ $# -gt 1 ] || misuse "$1 needs a value, or is unknown"
	case $1 in
	--url) url=$2 ;;
	--isl) isls=$2 ;;
	--osl) osls=$2 ;;
	--concurrency) axis=concurrency levels=$2 ;;
	--rate) axis=rate levels=$2 ;;
	--requests) requests=$2 ;;
	--warmup) warmup=$2 ;;
	--slo) slo=$2 ;;
	--attain) attain=${2%\%} ;;
	--start) start=$2 ;;
	--stop) stop=$2 ;;
	-o | --output) out=$2 ;;
	*) misuse "unknown option $1" ;;
	esac
	shift 2
done
: "${levels:=1}"
[ -n "$url" ] || misuse "--url is needed"
[ "$find" = no ] || [ -n "$slo" ] || misuse "--find needs --slo"
[ -z "$stop" ] || [ -n "$start" ] || misuse "--stop needs --start"

# numbers NAME LIST: the list with spaces, in rising order.
numbers() {
	case ",$2," in
	*,,* | *[!0-9.,]*) misuse "--$1 takes numbers, as 1,2,4" ;;
	esac
	echo "$2" | tr , '\n' | sort -g | tr '\n' ' '
}
isls=$(numbers isl "$isls") || exit 2
osls=$(numbers osl "$osls") || exit 2
levels=$(numbers "$axis" "$levels") || exit 2
[ "$axis" = rate ] || case $levels in
*.*) misuse "--concurrency takes whole numbers" ;;
esac
metrics-reduce --slo "${slo:-ttft=1s}" /dev/null >/dev/null 2>&1 ||
    [ $? -ne 2 ] || metrics-reduce --slo "$slo" /dev/null || exit 2

mkdir -p "$out"
trap 'deploy_stop "$stop"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
failed=0

# larger A B
larger() {
	echo "$1 $2" | awk '{ print ($1 > $2 ? $1 : $2) }'
}

# play ISL OSL LEVEL OPTION ...: the point, unless it is there; sets tape.
play() {
	ISL=$1 OSL=$2 level=$3
	shift 3
	CONCURRENCY='' RATE=''
	name=isl$ISL-osl$OSL-$axis$level
	tape=$out/$name.tape
	[ ! -s "$tape" ] || return 0
	if [ "$axis" = rate ]; then
		RATE=$level
		n=${requests:-$(larger 10 "${level%.*}0")}
		warm=${warmup:-2}
		load=''
		arrivals="--arrivals poisson --rate $level"
	else
		CONCURRENCY=$level
		n=${requests:-$(larger 10 $((5 * level)))}
		warm=${warmup:-$(larger 2 "$level")}
		load="--concurrency $level"
		arrivals=''
	fi
	export ISL OSL CONCURRENCY RATE
	[ -z "$start" ] || deploy_start "$out/server.log" "$start"
	seed=$(printf %s "$name" | cksum | cut -d' ' -f1)
	# shellcheck disable=SC2086 # words of their own
	trace-gen -q --isl "$ISL" --osl "$OSL" --count "$n" \
	    --seed "$seed" $arrivals --force -o "$out/$name.trace"
	echo "sweep: isl $ISL, osl $OSL, $axis $level: $n requests" >&2
	code=0
	# shellcheck disable=SC2086
	trace-replay -q --url "$url" --wait-ready $load --warmup "$warm" \
	    --abort-after 0 --label "isl=$ISL" --label "osl=$OSL" "$@" \
	    --force -o "$tape" "$out/$name.trace" >/dev/null || code=$?
	[ -z "$start" ] || deploy_stop "$stop"
	case $code in
	0) ;;
	1) failed=1 ;;
	*)
		rm -f "$tape"
		echo "sweep: stops at $name; server's output: $out/server.log" >&2
		exit "$code"
		;;
	esac
}

# share TAPE: of its requests that meet the objectives, in percent.
share() {
	sse-timestamp -q "$1" | metrics-reduce -q --slo "$slo" --format csv |
	    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	    $at["metric"] == "good_ratio" { print 100 * $at["value"] }'
}

# meets ISL OSL LEVEL OPTION ...: whether the point does.
meets() {
	play "$@"
	got=$(share "$tape")
	echo "sweep: $got % meet $slo at $axis $level" >&2
	echo "$got $attain" | awk '{ exit !($1 >= $2) }'
}

# middle LOW HIGH: between them, or nothing when they are as good as one.
middle() {
	if [ "$axis" = concurrency ]; then
		[ $(($2 - $1)) -le 1 ] || echo $((($1 + $2) / 2))
	else
		echo "$1 $2" | awk '$2 > 1.05 * $1 {
		    printf "%.4g\n", ($1 + $2) / 2 }'
	fi
}

# search ISL OSL OPTION ...: plays levels until one does not meet the
# objectives, then looks between.
search() {
	isl=$1 osl=$2
	shift 2
	low='' high=''
	for l in $levels; do
		if meets "$isl" "$osl" "$l" "$@"; then
			low=$l
		else
			high=$l
			break
		fi
	done
	while [ -n "$low" ] && [ -n "$high" ]; do
		l=$(middle "$low" "$high")
		[ -n "$l" ] || break
		if meets "$isl" "$osl" "$l" "$@"; then low=$l; else high=$l; fi
	done
	if [ -z "$low" ]; then
		echo "isl $isl, osl $osl: $attain % do not meet $slo at" \
		    "$axis $high, the lowest tried"
		failed=1
	else
		echo "isl $isl, osl $osl: the highest $axis at which $attain %" \
		    "meet $slo is $low${high:+; at $high they do not}"
		[ -n "$high" ] || echo "(no higher one was tried)"
	fi
}

for isl in $isls; do
	for osl in $osls; do
		if [ "$find" = yes ]; then
			search "$isl" "$osl" "$@" >>"$out/found.new"
			continue
		fi
		for l in $levels; do
			play "$isl" "$osl" "$l" "$@"
		done
	done
done

by=concurrency
[ "$axis" = concurrency ] || by=rate_per_s
points=$(cd "$out" && printf '%s\n' isl*.tape | sort -V)
# shellcheck disable=SC2086 # names of ours
(cd "$out" && sse-timestamp -q --force -o sweep.events $points)
metrics-reduce -q ${slo:+--slo "$slo"} --force -o "$out/sweep.metrics" \
    "$out/sweep.events"
metrics-reduce ${slo:+--slo "$slo"} --by "isl,osl,$by" --format table \
    "$out/sweep.events" | tee "$out/sweep.txt"
if [ "$find" = yes ]; then
	mv "$out/found.new" "$out/found.txt"
	echo
	cat "$out/found.txt"
fi
exit $failed
