#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Plays wrong experiments and right ones, and scores a tool by what it names;
# README.md says how.
#
#	run.sh [-t TOOL] [CASE ...]
#
# A case is a part of its file's name.  Exit code 1: a fault was not named, or
# something was said of a clean case; 2: there is no such case.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
: "${B:=$here/../../build/release}"
B=$(cd "$B" && pwd) || exit 1
PATH=$B/bin:$PATH
export B PATH
# shellcheck source=tests/support/server.sh
. "$here/../support/server.sh"
# shellcheck source=tests/defects/lib.sh
. "$here/lib.sh"
tool=$here/llmtape.sh
limit=120 # seconds for a case
while getopts t: opt; do
	case $opt in
	t) tool=$(cd "$(dirname "$OPTARG")" && pwd)/$(basename "$OPTARG") ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
top=$(mktemp -d) || exit 1
trap 'server_stop; rm -rf "$top"' EXIT
trap 'exit 1' INT TERM

wanted()
{
	[ -n "$cases" ] || return 0
	for c in $cases; do
		case $1 in
		*"$c"*) return 0 ;;
		esac
	done
	return 1
}

# one FILE: plays it; sets what was said.
one()
{
	dir=$top/$(basename "$1" .sh)
	mkdir "$dir"
	plan_default
	# shellcheck disable=SC1090
	. "$1"
	judged "$tool"
	code=$?
	server_stop
	said=$(tr '\n' ' ' <"$dir/said" | sed 's/ $//')
	[ "$code" -ne 124 ] || said="$said (took over $limit s)"
}

verdict()
{
	printf '%-8s %-22s %-16s %s\n' "$1" "$2" "$3" "$4"
}

cases=$*
named=0 faults=0 quiet=0 clean=0
verdict result case fault said
for f in "$here"/defect/*.sh; do
	wanted "$(basename "$f" .sh)" || continue
	one "$f"
	faults=$((faults + 1))
	case " $said " in
	*" $name "*)
		named=$((named + 1))
		verdict named "$(basename "$f" .sh)" "$name" "$said"
		;;
	*) verdict MISSED "$(basename "$f" .sh)" "$name" "$said" ;;
	esac
done
for f in "$here"/clean/*.sh; do
	wanted "$(basename "$f" .sh)" || continue
	one "$f"
	clean=$((clean + 1))
	if [ -z "$said" ] && [ "$code" -eq 0 ]; then
		quiet=$((quiet + 1))
		verdict quiet "$(basename "$f" .sh)" - ''
	else
		verdict ALARM "$(basename "$f" .sh)" - "$said"
		[ "$code" -eq 0 ] || sed 's/^/    /' "$dir/err"
	fi
done
[ $((faults + clean)) -gt 0 ] || {
	echo "run.sh: no case is called: $cases" >&2
	exit 2
}
echo "named $named of $faults; quiet in $quiet of $clean clean"
[ "$named" -eq "$faults" ] && [ "$quiet" -eq "$clean" ]
