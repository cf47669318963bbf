#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Fuzzes the decoder of each dialect by itself, with what fuzz_event holds it
# to.
#
#	dialects.sh [SECONDS [DIALECT ...]]
#
# SECONDS of CPU time for each (600), of the DIALECTs named or of all that
# answers can be of, one after the other.  Prints a line for each: its name, CPU
# seconds, runs, findings.  Exits 1 when there was one; inputs are kept in
# build/fuzz/dialects/.  Wants fuzz_event made with FLAVOUR=fuzz CC=clang.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
target=$root/build/fuzz/fuzz/fuzz_event
dir=$root/build/fuzz/dialects
seconds=${1:-600}
test $# -gt 0 && shift
all=$(sed -n 's/^	*\.name = "\([a-z_]*\)",$/\1/p' "$root"/lib/api/api_*.c |
    sort -u)
# shellcheck disable=SC2086 # names, one word each
test $# -gt 0 || set -- $all
test -x "$target" || {
	echo "$target is not there: make FLAVOUR=fuzz CC=clang $target" >&2
	exit 2
}
findings=0

# measure: sets cpu to the CPU seconds that ended children had, whole.  By way of
# a file: a shell of its own would speak of its own children.
measure()
{
	times >"$dir/times.$$"
	cpu=$(awk 'NR == 2 { split($0, part, /[ms ]+/)
	    print int(part[1] * 60 + part[2] + part[3] * 60 + part[4]) }' \
	    "$dir/times.$$")
}

# one DIALECT: in slices, as the clock of a fuzzer is that on the wall.
one()
{
	mkdir -p "$dir/$1" || exit 1
	measure
	began=$cpu
	spent=0
	runs=0
	found=0
	while test "$spent" -lt "$seconds"; do
		FUZZ_API=$1 "$target" -max_total_time=60 -timeout=25 \
		    -rss_limit_mb=1500 -verbosity=0 -print_final_stats=1 \
		    -artifact_prefix="$dir/$1-" "$dir/$1" \
		    "$root/tests/fuzz/seeds/fuzz_event" \
		    >"$dir/$1.log" 2>&1 || found=$((found + 1))
		runs=$((runs + $(awk '/number_of_executed_units/ { n = $2 }
		    END { print n + 0 }' "$dir/$1.log")))
		measure
		spent=$((cpu - began))
		test "$found" -lt 3 || break
	done
	echo "$1 $spent s, $runs runs, $found findings"
	test "$found" -eq 0 || findings=1
}

for dialect in "$@"; do
	one "$dialect"
done
rm -f "$dir/times.$$"
exit $findings
