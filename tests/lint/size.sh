#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# size.sh [ROOT]: a file over its limit of lines is to be split by duty.
# (Functions, nesting and parameters are clang-tidy's: make lint-tidy.)
set -u
cd "${1:-$(dirname "$0")/../..}" || exit 2

find lib bin tests -name '*.[ch]' 2>/dev/null | LC_ALL=C sort |
    xargs -r awk '
function limit_of(file)
{
	if (file ~ "^bin/")
		return 400
	return file ~ "^tests/" ? 800 : 500
}
function check()
{
	if (file != "" && lines > limit_of(file)) {
		print file ": " lines " lines, the limit is " limit_of(file)
		bad = 1
	}
}
FNR == 1 { check() }
{ file = FILENAME; lines = FNR }
END { check(); exit bad }
'
