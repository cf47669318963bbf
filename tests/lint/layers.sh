#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# layers.sh [ROOT]: includes go down the floors, and each third-party library
# stays in its module.
# shellcheck disable=SC2016
set -u
cd "${1:-$(dirname "$0")/../..}" || exit 2

find lib bin -name '*.[ch]' 2>/dev/null | LC_ALL=C sort | xargs -r awk '
BEGIN {
	n = split("base codec api record engine cli bin", name, " ")
	split("0 1 2 3 4 4 5", floor_of, " ")
	for (i = 1; i <= n; i++)
		floors[name[i]] = floor_of[i]
	generated["tape_build.h"]
	generated["vocab_en1.h"]
	# Header, the only files that may include it.
	only["<curl/"] = "^lib/codec/http(_[a-z0-9_]*)?[.]c$"
	only["<zstd"] = "^lib/codec/stream(_[a-z0-9_]*)?[.]c$"
	only["<zlib"] = "^lib/codec/stream(_[a-z0-9_]*)?[.]c$"
	only["<cjson/"] = "^lib/codec/json(_[a-z0-9_]*)?[.]c$"
	only["<gsl/"] = "^lib/codec/stat(_[a-z0-9_]*)?[.]c$"
}
function complain(text)
{
	print FILENAME ":" FNR ": " text
	bad = 1
}
FNR == 1 {
	parts = split(FILENAME, part, "/")
	folder = part[1] == "bin" ? "bin" : part[2]
	if (!(folder in floors))
		complain("no floor is known for " folder "/")
	else if (part[1] == "lib" && parts != 3)
		complain("deeper than lib/FOLDER/FILE")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	if (quoted[2] in generated)
		next
	split(quoted[2], target, "/")
	if (!(target[1] in floors) || quoted[2] !~ "/")
		complain("include \"" quoted[2] "\" names no floor")
	else if (target[1] != folder && floors[target[1]] >= floors[folder])
		complain(folder " includes " quoted[2] ", which is not below")
}
/^[ \t]*#[ \t]*include[ \t]*</ {
	header = $0
	sub(/^[^<]*/, "", header)
	for (lib in only)
		if (index(header, lib) == 1 && FILENAME !~ only[lib])
			complain(header " belongs to its own module only")
}
END { exit bad }
'
