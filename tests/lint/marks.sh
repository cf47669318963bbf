#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# marks.sh [ROOT]: every source names its licence first, none holds notes of
# unfinished work, and no line ends in white space.
# shellcheck disable=SC2016
set -u
cd "${1:-$(dirname "$0")/../..}" || exit 2
word='TO''DO|FIX''ME|XX''X|HA''CK'

{
	echo Makefile
	find bin lib man tests analysis .ci traces \
	    \( -path tests/fixtures -o -path tests/fuzz/seeds \) -prune -o \
	    -type f \( -name '*.[ch]' -o -name '*.sh' -o -name '*.t' \
	    -o -name '*.awk' -o -name '*.mjs' -o -name '*.py' \
	    -o -name '*.[1-8]' -o -path .ci/run \) -print 2>/dev/null
} | LC_ALL=C sort | while read -r f; do
	[ -f "$f" ] && printf '%s\n' "$f"
done | xargs -r awk -v word="(^|[^A-Za-z])($word)([^A-Za-z]|\$)" '
function complain(file, line, text)
{
	print file ":" line ": " text
	bad = 1
}
FNR == 1 {
	if (file != "" && !licensed)
		complain(file, 1, "no SPDX line at the top")
	file = FILENAME
	licensed = 0
}
FNR <= 3 && /SPDX-License-Identifier: / { licensed = 1 }
$0 ~ word { complain(FILENAME, FNR, "unfinished work is an issue, not a mark") }
/[ \t]$/ { complain(FILENAME, FNR, "white space at the end") }
END {
	if (file != "" && !licensed)
		complain(file, 1, "no SPDX line at the top")
	exit bad
}
'
