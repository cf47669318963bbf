#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Makes the tables of RESULTS.md from what all.sh has left in a folder.
#
#	report.sh [DIR [FILE]]
#
# DIR is build/bench.  What stands in FILE (RESULTS.md beside this) between the
# two marks is replaced, and nothing else: what was tried, and where the time
# goes, is written by hand outside of them.  FILE - is standard output.
set -eu
bench=$(cd "$(dirname "$0")" && pwd)
dir=${1:-$bench/../../build/bench} file=${2:-$bench/RESULTS.md}
set -- "$dir"/*.json
[ -e "$1" ] || {
	echo "report: no results in $dir; run all.sh first" >&2
	exit 3
}
new=$(mktemp)
trap 'rm -f "$new" "$new.file"' EXIT
{
	jq -n -r -f "$bench/lib/report.jq" "$@"
	echo '## What each bench said'
	for f in "$dir"/*.txt; do
		name=${f##*/} name=${name%.txt}
		printf '\n### %s\n\n```\n' "$name"
		grep -v '^written: ' "$f" | cat -s
		printf '```\n'
	done
} >"$new"
if [ "$file" = - ]; then
	cat "$new"
	exit 0
fi
awk -v new="$new" '
$0 == "<!-- figures: by report.sh -->" {
	print
	print ""
	while ((getline line <new) > 0)
		print line
	print ""
	skip = found = 1
}
$0 == "<!-- end of figures -->" { skip = 0 }
!skip { print }
END { exit !found }' "$file" >"$new.file" || {
	echo "report: $file has no marks" >&2
	exit 3
}
cat "$new.file" >"$file"
