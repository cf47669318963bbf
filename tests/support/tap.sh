# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034
# tap.sh: what the tests in shell have in common.  To be sourced, with $root the
# top of the tree; tools are those of $B, in the locale C and in UTC.
#
#	scratch             makes the folder $tmp, which goes when the test ends
#	ok STATUS NAME      one test, passed if STATUS is 0
#	is GOT WANT NAME    one test, passed if both texts are the same
#	skip COUNT WHY [NAME]   so many tests that cannot be run
#	wait_until COMMAND ...  until it succeeds; after a minute the test has
#	                    failed
#	wait_for FILE       until it is there, likewise
#	done_testing        the plan; exits with 1 if a test failed
#
# $n tests were run, and $failed is 1 if one of them failed.  A test may define
# again, behind this file:
#
#	stop                ends what still runs when the test ends
#	why                 lines that begin with "#", to explain a failed ok
#
# A test that takes longer than 900 seconds is ended, with what it started.
if [ -z "${TAP_BOUND:-}" ]; then
	TAP_BOUND=900
	export TAP_BOUND
	exec timeout -k 10 "$TAP_BOUND" sh "$0" "$@"
fi
: "${B:=${root:?}/build/release}"
PATH=$B/bin:$PATH
LC_ALL=C
TZ=UTC
export PATH LC_ALL TZ
n=0
failed=0

stop()
{
	:
}

why()
{
	:
}

scratch()
{
	tmp=$(mktemp -d) || exit 1
	trap 'stop; rm -rf "$tmp"' EXIT
	trap 'exit 1' INT TERM
}

ok()
{
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		printf 'ok %s - %s\n' "$n" "$2"
	else
		printf 'not ok %s - %s\n' "$n" "$2"
		failed=1
		why
	fi
}

is()
{
	[ "$1" = "$2" ]
	ok $? "$3"
	[ "$1" = "$2" ] || printf '%s\n' "got: $1" "want: $2" | sed 's/^/#  /'
}

wait_until()
{
	tap_left=3000
	until "$@"; do
		if [ "$tap_left" -eq 0 ]; then
			ok 1 "within a minute: $*"
			exit 1
		fi
		sleep 0.02
		tap_left=$((tap_left - 1))
	done
}

wait_for()
{
	wait_until test -f "$1"
}

skip()
{
	tap_left=$1
	while [ "$tap_left" -gt 0 ]; do
		n=$((n + 1))
		printf 'ok %s%s # SKIP %s\n' "$n" "${3:+ - $3}" "$2"
		tap_left=$((tap_left - 1))
	done
}

done_testing()
{
	echo "1..$n"
	exit "$failed"
}
