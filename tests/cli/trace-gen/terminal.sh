#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# On a terminal: input is not awaited, output is plain and never compressed, and
# the sums are said.
if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	echo 'no pseudo-terminal can be had here' >&2
	exit 77
fi
on_terminal()
{
	script -qec "$1; echo exit \$?" /dev/null </dev/null | tr -d '\r' |
	    sed 's/^\({"kind":"[a-z]*"\).*/\1/'
}
on_terminal 'trace-gen --from prompts'
on_terminal 'trace-gen --from prompts -'
on_terminal 'trace-gen -z 3 --isl 5 --osl 3 --count 1'
on_terminal 'trace-gen -z 3 --isl 5 --osl 3 --count 1 -o -'
on_terminal 'trace-gen -z 3 --isl 5 --osl 3 --count 1 -o out'
on_terminal 'trace-gen --isl 5 --osl 3 --count 1'
on_terminal 'trace-gen -q --isl 5 --osl 3 --count 1 >out'
on_terminal 'trace-gen -z 1 --force --isl 5 --osl 3 --count 1 2>/dev/null' |
    head -c 4 | od -An -tx1
