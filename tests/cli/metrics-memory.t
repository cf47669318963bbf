#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A run whose values take more memory than there is: with --max-memory
# metrics-reduce writes what a table of the whole memory has; without, or with
# no room for temporary files either, it says so.  The kernel holds it to
# LIMIT KiB of private memory (RLIMIT_DATA), as a small machine would.
REQUESTS=200000
LIMIT=60000
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
. "$root/tests/support/tap.sh"
scratch

if nm "$B/bin/metrics-reduce" 2>"$tmp/nm" | grep -q '__asan_init\|__tsan_init'
then
	skip 7 'a sanitizer needs more memory than the limit'
	done_testing
fi

# reduce ARG...: under the limit, the table to $tmp/got.
reduce()
{
	(
		# shellcheck disable=SC3045 # dash, bash, ksh and mksh have -d
		ulimit -d "$LIMIT" || exit 9
		exec metrics-reduce --format table "$@" "$tmp/events"
	) >"$tmp/got" 2>"$tmp/err"
}

"$B/bench/reduce_feed" "$REQUESTS" 2 >"$tmp/events" || exit 1
metrics-reduce --format table "$tmp/events" >"$tmp/want" 2>"$tmp/err"
ok $? 'with all memory'
grep -q '^ttft .*ms' "$tmp/want"
ok $? 'it has metrics'
reduce
code=$?
is "$code" 4 'memory runs out under the limit'
grep -q 'out of memory' "$tmp/err"
ok $? 'which is said'
reduce --max-memory 8M
code=$?
cmp -s "$tmp/want" "$tmp/got"
is "$code $?" '0 0' 'within a bound the same comes out'
TMPDIR=/nowhere/at/all reduce --max-memory 8M
code=$?
is "$code" 4 'without a folder for files it does not'
grep -q 'room for temporary files: No such file or directory' "$tmp/err"
ok $? 'and it is said why'
done_testing
