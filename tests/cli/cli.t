#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs the cases tests/cli/TOOL/CASE.sh; README.md says what a case is.
#
#	B        build directory whose bin/ is tested
#	CASE     patterns of cases to run, as trace-gen/help or 'trace-gen/*'
#	GOLDEN   set: rewrite the expectations that do not hold
#	CLI_DIR  where the cases are, for the test of this script
#
# Calls itself with one case as its operand, two at a time; TAP without numbers
# does not mind in which order they finish.
set -u
self=$(cd "$(dirname "$0")" && pwd)/$(basename "$0") || exit 1
root=$(cd "$(dirname "$self")/../.." && pwd) || exit 1
: "${CLI_DIR:=$root/tests/cli}"
: "${B:=$root/build/release}"
limit=120 # seconds a case may take

# same EXPECTED ACTUAL: whether they agree.  A line "..." of EXPECTED stands for
# any lines, and "..." in a line for any text, where the line is not itself so.
same()
{
	awk '
	function fits(want, got, part, n, i, at)
	{
		if (want == got)
			return 1
		n = split(want, part, /[.][.][.]/)
		if (n < 2 || index(got, part[1]) != 1)
			return 0
		got = substr(got, length(part[1]) + 1)
		for (i = 2; i < n; i++) {
			at = index(got, part[i])
			if (at == 0)
				return 0
			got = substr(got, at + length(part[i]))
		}
		return length(got) >= length(part[n]) &&
		    substr(got, length(got) - length(part[n]) + 1) == part[n]
	}
	FILENAME == ARGV[1] { want[++wants] = $0; next }
	{ got[++gots] = $0 }
	END {
		w = g = 1
		star = 0
		while (g <= gots) {
			if (w <= wants && want[w] == "...") {
				star = w++
				from = g
			} else if (w <= wants && fits(want[w], got[g])) {
				w++
				g++
			} else if (star) {
				w = star + 1
				g = ++from
			} else
				exit 1
		}
		while (w <= wants && want[w] == "...")
			w++
		exit w <= wants
	}' "$1" "$2"
}

# judge SUFFIX: compares what came with the sidecar; tells, or rewrites it.
judge()
{
	want=$stem.$1
	[ -f "$want" ] || want=$none.$1
	same "$want" "$scratch.$1" && return
	if [ -n "${GOLDEN:-}" ]; then
		if cmp -s "$scratch.$1" "$none.$1"; then
			rm -f "$stem.$1"
		else
			cp "$scratch.$1" "$stem.$1"
		fi
		echo "# rewrote $name.$1"
		return
	fi
	bad=1
	echo "# $1 differs (- expected, + got):"
	diff -u "$want" "$scratch.$1" | sed -n '3,60s/^/#  /p'
}

stop_case()
{
	[ -f "$top/pid" ] || return
	kill -s KILL -- "-$(cat "$top/pid")" 2>/dev/null
	rm -f "$top/pid"
}

# run_case FILE: one TAP line and, on failure, what differs.
run_case()
{
	stem=${1%.sh}
	name=${stem#"$CLI_DIR"/}
	top=$(mktemp -d "${TMPDIR:-/tmp}/llmtape-cli-XXXXXX") || exit 1
	scratch=$top/scratch
	none=$top/none
	mkdir "$scratch"
	: >"$none.stdout"
	: >"$none.stderr"
	echo 0 >"$none.exit"
	# A session of its own, so that nothing the case started outlives it; in
	# the background, so that a signal to this script ends the wait.
	trap stop_case EXIT
	trap 'exit 1' INT TERM
	# shellcheck disable=SC2016
	(cd "$scratch" && exec env --default-signal=INT,QUIT,PIPE \
	    LC_ALL=C TZ=UTC SOURCE_DATE_EPOCH=1772366400 HOME="$scratch" \
	    TMPDIR="$scratch" B="$B" PATH="$B/bin:$PATH" \
	    FIXTURES="$root/tests/fixtures" TRACES="$root/traces" \
	    CLI="$CLI_DIR" setsid -w sh -c 'echo $$ >../pid
	    exec timeout --foreground -k 5 "$0" sh "$1"' "$limit" "$1") \
	    </dev/null >"$scratch.stdout" 2>"$scratch.stderr" &
	wait $!
	echo $? >"$scratch.exit"
	stop_case
	bad=0
	# A case that cannot run here says why on standard error, and exits 77.
	if [ "$(cat "$scratch.exit")" = 77 ] && [ ! -f "$stem.exit" ]; then
		echo "ok - $name # SKIP $(head -n 1 "$scratch.stderr")"
		rm -rf "$top"
		exit 0
	fi
	{
		for suffix in stdout stderr exit; do
			judge $suffix
		done
		if [ "$bad" -eq 0 ]; then
			echo "ok - $name"
		else
			echo "# scratch kept: $scratch"
			echo "not ok - $name"
		fi
	} >"$top/tap"
	# Not cat: it copies with copy_file_range(2), which does not keep two
	# writers to one file apart, as write(2) does.
	sed '' "$top/tap"
	[ "$bad" -ne 0 ] || rm -rf "$top"
	exit "$bad"
}

if [ $# -eq 1 ]; then
	run_case "$1"
fi

# wanted NAME: whether CASE, if given, has a pattern for it.
wanted()
{
	[ -n "${CASE:-}" ] || return 0
	set -f
	for pattern in $CASE; do
		# shellcheck disable=SC2254
		case $1 in
		$pattern | $pattern/*)
			set +f
			return 0
			;;
		esac
	done
	set +f
	return 1
}

cases=
count=0
for f in "$CLI_DIR"/*/*.sh; do
	[ -f "$f" ] || continue
	name=${f#"$CLI_DIR"/}
	wanted "${name%.sh}" || continue
	cases="$cases$f
"
	count=$((count + 1))
done
echo "1..$count"
[ "$count" -gt 0 ] || exit 0
export B CLI_DIR
printf '%s' "$cases" | xargs -P2 -n1 sh "$self"
