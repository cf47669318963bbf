#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# unique.sh [ROOT]: no two sources have one name, so that a name in a message
# or a search means one file.  Unit tests and benches are named for their module
# and CLI cases for what they show, so those are exempt.
set -u
cd "${1:-$(dirname "$0")/../..}" || exit 2

find lib bin man tests analysis \
    \( -path tests/unit -o -path tests/bench -o -path 'tests/cli/*' -o -path 'tests/fixtures' \
    -o -path 'tests/fuzz/seeds' -o -path analysis \) -prune -o -type f \
    \( -name '*.[ch]' -o -name '*.sh' -o -name '*.[1-8]' \) -print \
    2>/dev/null | LC_ALL=C sort | awk '
{
	n = split($0, part, "/")
	name = part[n]
	if (name in seen) {
		print $0 ": has the name of " seen[name]
		bad = 1
	}
	seen[name] = $0
}
END { exit bad }
'
