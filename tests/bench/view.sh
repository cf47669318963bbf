#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# One exchange of a large archive: how long it takes to find, and how much of
# the file is read for it, with its index frames and without.
#
#	view.sh [--json FILE]
#
#	SIZE_MB     200, of the archive: a recorded run again and again, with one
#	            other run in the middle, in which the exchange is
#	ANSWERS     1000 requests of the run, of TOKENS (200) tokens each
#	RUNS        5, in turn
#
# The file is in the page cache as far as memory goes.  What is not there is
# looked for by reading all; so is what --no-index finds.
# shellcheck disable=SC1091,SC2154
set -eu
bench=$(dirname "$0")
. "$bench/lib/common.sh"
size_mb=${SIZE_MB:-200}
bench_begin view "$@"

# record NAME COUNT PREFIX: a run whose ids begin with that.
record()
{
	trace-gen -q --isl 64 --osl "${TOKENS:-200}" --count "$2" -z 0 |
	    sed 's/^{"kind":"request","id":"/&'"$3"'/' >"$dir/trace"
	trace-replay -q --url "$server_url" --model llmtape --concurrency 50 \
	    --force -o "$dir/$1" "$dir/trace"
}

serve --ttft 5ms,1ms --itl 2ms,0.1ms
record base "${ANSWERS:-1000}" r
record other 20 needle
stop
base=$(wc -c <"$dir/base")
copies=$((size_mb * 1000000 / base))
[ "$copies" -gt 1 ] || copies=2
{
	n=0
	while [ "$n" -lt "$copies" ]; do
		[ "$n" -ne $((copies / 2)) ] || cat "$dir/other"
		cat "$dir/base"
		n=$((n + 1))
	done
} >"$dir/archive"
size=$(wc -c <"$dir/archive")
rm -f "$dir/base"
trace-view --json "$dir/other" | jq -r '"index: \(.stored.index_bytes) of \(.stored.bytes) bytes, \(.stored.index_bytes / .stored.bytes * 1000 | round / 10) %, \(.stored.index_bytes * 10 / .exchanges | round / 10) an exchange"'

# The children of a shell that were waited for count in its own io.
one()
{
	cell=$1
	shift
	# shellcheck disable=SC2016
	cost "$dir/cost" sh -c '"$@" >"$0/out" 2>"$0/err"
	    cat "/proc/$$/io" >"$0/io"' "$dir" trace-view "$@" "$dir/archive"
	jq -n -c --arg cell "$cell" --argjson bytes "$size" \
	    --slurpfile cost "$dir/cost" \
	    --argjson read "$(sed -n 's/^rchar: //p' "$dir/io")" \
	    --argjson found "$(grep -c '^  in flight' "$dir/out" || :)" '
	{cell: $cell, archive_bytes: $bytes, ms: ($cost[0].wall_s * 1000),
	 cpu_ms: ($cost[0].cpu_s * 1000), rss_kb: $cost[0].maxrss_kb,
	 read_bytes: $read, found: $found}' >>"$dir/runs"
}

LIMIT=${LIMIT:-600}
run=1
while [ "$run" -le "$runs" ]; do
	one 'one exchange, by index' --id needle7 --timeline
	one 'the same with the others in flight' --id needle7 --timeline \
	    --others
	one 'the same, reading all' --id needle7 --timeline --no-index
	[ "$run" -gt 1 ] || {
		one 'what is not there' --id nobody --timeline
		one 'overview' --width 80
	}
	run=$((run + 1))
done
medians | jq -c '. + if .cell == "one exchange, by index" then
    {quantity: "one exchange of an archive of \(.archive_bytes / 1e6 | round) MB, by its index", value: .ms, unit: "ms"}
    elif .cell == "the same, reading all" then
    {quantity: "the same, reading all of it", value: .ms, unit: "ms"}
    else {} end' >"$dir/rows"
jq -r '"\(.cell), of \(.archive_bytes / 1e6 | round) MB, n = \(.runs): \(.ms * 10 | round / 10) ms, CPU \(.cpu_ms * 10 | round / 10) ms, \(.read_bytes / 1e6 * 100 | round / 100) MB read, \(.rss_kb) KiB resident\(if .found > 0 then "" else ", nothing found" end)"' "$dir/rows"
bench_end
