#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The EXAMPLES of the man pages work.  In a literal display a line that begins
# with "$ " is a command, which a backslash at its end continues; other lines are
# its output and are not looked at.  The commands of a page run in order in one
# scratch folder, which has traces/ in it, and have to succeed.  A comment before
# a command says otherwise:
#
#	.\" example: exit 1
#	.\" example: not run, because ...
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
: "${MAN_DIR:=$root/man}"
export B
scratch

# The servers of examples have fixed ports, so only one checkout at a time.
exec 9>"${TMPDIR:-/tmp}/llmtape-examples-$(id -u).lock"
flock -w 300 9

# Ends what the examples of a page left running.
stop()
{
	[ -f "$tmp/pid" ] || return
	kill -s KILL -- "-$(cat "$tmp/pid")" 2>/dev/null
	rm -f "$tmp/pid"
}

# examples PAGE: a line a command: expected exit code or "not", tab, command.
examples()
{
	awk '
	/^[.]Sh / { inside = $2 == "EXAMPLES" }
	!inside { next }
	/^[.]\\" example: / {
		want = $3 == "exit" ? $4 : "not"
		next
	}
	/^[.]Bd / { literal = 1; next }
	/^[.]Ed/ { literal = 0; next }
	!literal { next }
	{
		line = $0
		gsub(/\\\(aq/, "\047", line)
		gsub(/\\\(dq/, "\"", line)
		gsub(/\\\(ti|\\\(a~/, "~", line)
		gsub(/\\-/, "-", line)
		gsub(/\\&/, "", line)
		gsub(/\\e/, "\\", line)
	}
	more { sub(/^[ \t]+/, "", line) }
	!more && line !~ /^[$] / { next }
	!more { line = substr(line, 3); command = "" }
	{
		more = sub(/\\$/, "", line)
		command = command line
		if (!more) {
			print (want == "" ? 0 : want) "\t" command
			want = ""
		}
	}' "$1"
}

# One shell a page reads the commands, so that a server started with & lives
# until the page is through; each command tells its exit code.
run_page()
{
	stop
	rm -rf "$tmp/scratch" "$tmp/codes"
	mkdir "$tmp/scratch"
	ln -s "$root/traces" "$tmp/scratch/traces"
	{
		while IFS='	' read -r want command; do
			[ "$want" = not ] && continue
			# shellcheck disable=SC2016
			printf '{ %s\n} >>../out 2>&1 </dev/null\n%s\n' \
			    "$command" 'echo $? >>../codes'
		done <"$tmp/list"
	} >"$tmp/script"
	# shellcheck disable=SC2016
	(cd "$tmp/scratch" && exec setsid -w sh -c 'echo $$ >../pid
	    exec timeout --foreground -k 5 120 sh "$0"' "$tmp/script") \
	    >"$tmp/out" 2>&1 9>&-
}

for page in "$MAN_DIR"/*.[17]; do
	name=$(basename "$page")
	examples "$page" >"$tmp/list"
	run_page
	[ -s "$tmp/list" ]
	ok $? "$name has examples"
	line=0
	while IFS='	' read -r want command; do
		if [ "$want" = not ]; then
			skip 1 "$name: $command"
			continue
		fi
		line=$((line + 1))
		got=$(sed -n "${line}p" "$tmp/codes" 2>/dev/null)
		[ "$got" = "$want" ] ||
		    echo "# exit ${got:-by timeout}, not $want"
		[ "$got" = "$want" ]
		ok $? "$name: $command"
	done <"$tmp/list"
	[ "$failed" -eq 0 ] || sed 's/^/# /' "$tmp/out" | tail -n 20
done
done_testing
