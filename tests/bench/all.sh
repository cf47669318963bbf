#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs the benches one after another, and keeps what they say in a folder.
#
#	all.sh [-l] [-f] [-o DIR] [BENCH ...]
#
#	-l      only list them
#	-f      run again what has its result in DIR already; without it, a run
#	        that was broken off goes on where it was
#	-o DIR  where results go, NAME.json and NAME.txt: build/bench
#
# The machine should do nothing else meanwhile.  A bench that fails is named at
# the end, and the exit status is then 1; figures are judged by nobody here.
# report.sh makes the tables of RESULTS.md from DIR.
set -u
bench=$(cd "$(dirname "$0")" && pwd)
B=${B:-$(cd "$bench/../.." && pwd)/build/release}
PATH=$B/bin:$PATH
export B PATH
out=$bench/../../build/bench list='' force=''
while getopts lfo: opt; do
	case $opt in
	l) list=1 ;;
	f) force=1 ;;
	o) out=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))

# What the first table of RESULTS.md comes from first, then the others.
if [ $# -eq 0 ]; then
	first='fidelity throughput pacing memory pipeline neighbour startup view'
	# shellcheck disable=SC2086
	set -- $first
	for s in "$bench"/*.sh; do
		s=${s##*/} s=${s%.sh}
		case " all report $first " in
		*" $s "*) ;;
		*) set -- "$@" "$s" ;;
		esac
	done
	[ -z "${PEERS_VENV:-}" ] || set -- "$@" peers
fi

script()
{
	if [ "$1" = peers ]; then
		echo "$bench/peers/run.sh"
	else
		echo "$bench/$1.sh"
	fi
}

run_one()
{
	if grep -q -e '--json' "$s"; then
		sh "$s" --json "$out/$name.json"
	else
		echo "== $name"
		sh "$s"
	fi
}

failed=''
[ -n "$list" ] || mkdir -p "$out" || exit 4
for name in "$@"; do
	s=$(script "$name")
	[ -r "$s" ] || continue
	if [ -n "$list" ]; then
		printf '%-14s %s\n' "$name" "${s#"$bench"/}"
		continue
	fi
	if [ -e "$out/$name.done" ] && [ -z "$force" ]; then
		echo "== $name: its result is there; -f runs it again"
		continue
	fi
	rm -f "$out/$name.done"
	if run_one >"$out/$name.part" 2>&1; then
		: >"$out/$name.done"
	else
		failed="$failed $name"
	fi
	mv "$out/$name.part" "$out/$name.txt"
	cat "$out/$name.txt"
done
[ -z "$failed" ] || {
	echo "failed:$failed" >&2
	exit 1
}
