#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# headers.sh [ROOT]: every header compiles alone, and twice, and its guard is
# named TAPE_FOLDER_FILE_H.  CC is the compiler.
set -u
cd "${1:-$(dirname "$0")/../..}" || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
echo '#define TAPE_VERSION "0"' >"$tmp/tape_build.h"
bad=0

for h in $(find lib tests/unit -name '*.h' 2>/dev/null | LC_ALL=C sort); do
	name=${h#lib/}
	name=${name#tests/}
	guard=TAPE_$(echo "${name%.h}" | tr 'a-z/-' 'A-Z__')_H
	if ! grep -qx "#ifndef $guard" "$h" ||
	    ! grep -qx "#define $guard" "$h"; then
		echo "$h: the guard is not $guard"
		bad=1
	fi
	printf '#include "%s"\n#include "%s"\nextern int used;\n' \
	    "$name" "$name" >"$tmp/alone.c"
	if ! ${CC:-cc} -std=c17 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror \
	    -fsyntax-only -I"$tmp" -Ilib -Itests "$tmp/alone.c"; then
		echo "$h: does not compile alone"
		bad=1
	fi
done
exit $bad
