#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# options.sh [ROOT [BINDIR]]: for every tool, the option table, the help text and
# the man page have the same options, and the page is there.
#
# In the page an option is an item of one of these forms:
#	.It Fl q , Fl -quiet
#	.It Fl o , Fl -output Ar FILE
#	.It Fl -wait-ready Ns Op = Ns Ar PATH
#	.It Fl -isl Ar MEAN Ns Op , Ns Ar SD
#	.It Fl -label Ar K Ns = Ns Ar V
set -u
cd "${1:-$(dirname "$0")/../..}" || exit 2
bindir=${2:-build/release/bin}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
bad=0

complain()
{
	echo "$*"
	bad=1
}

# man_options PAGE: the items of its lists as --list-options has them.
man_options()
{
	awk '
	function put(text)
	{
		out = out (out == "" || tight ? "" : " ") text
		tight = 0
	}
	$1 == ".It" && $2 == "Fl" {
		out = ""
		open = tight = 0
		for (i = 2; i <= NF; i++) {
			if ($i == "Fl")
				put("-" $(++i))
			else if ($i == "Ns")
				tight = 1
			else if ($i == "Op") {
				put("[")
				tight = 1
				open++
			} else if ($i == ",") {
				tight = 1
				put(",")
			} else if ($i != "Ar")
				put($i)
		}
		while (open-- > 0)
			out = out "]"
		print out
		}' "$1"
}

for src in bin/*.c; do
	[ -f "$src" ] || continue
	tool=$(basename "$src" .c)
	if ! "$bindir/$tool" --list-options >"$tmp/table" 2>&1; then
		complain "$tool: --list-options failed: $(head -n 1 "$tmp/table")"
		continue
	fi
	"$bindir/$tool" --help-all >"$tmp/help" 2>&1 ||
	    complain "$tool: --help-all failed"
	awk 'length($0) > 80 { bad = 1 } END { exit bad }' "$tmp/help" ||
	    complain "$tool: --help-all is wider than 80 columns"
	# The name ends where two blanks begin its help.
	grep -E '^ +(-[A-Za-z0-9], )?--' "$tmp/help" |
	    sed 's/^  *//; s/  .*//' >"$tmp/helped"
	if [ ! -f "man/$tool.1" ]; then
		complain "$tool: there is no man/$tool.1"
		: >"$tmp/manned"
	else
		man_options "man/$tool.1" >"$tmp/manned"
	fi
	for f in table helped manned; do
		LC_ALL=C sort -o "$tmp/$f" "$tmp/$f"
	done
	diff "$tmp/table" "$tmp/helped" >"$tmp/diff" ||
	    complain "$tool: --list-options (<) and --help-all (>) differ:
$(grep '^[<>]' "$tmp/diff")"
	diff "$tmp/table" "$tmp/manned" >"$tmp/diff" ||
	    complain "$tool: --list-options (<) and man page (>) differ:
$(grep '^[<>]' "$tmp/diff")"
done
exit $bad
