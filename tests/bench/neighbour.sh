#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What a server that shares the two cores loses by being measured: its tokens/s
# when trace-replay drives it against when curl does, one request at a time.
#
#	neighbour.sh [--json FILE]
#
#	PAIRS       20, an even number, at least 4
#	REQUESTS    3 a run, of TOKENS (170) tokens of TOKEN_US (10000) us
#	REPLAY      further options for trace-replay
#
# Both send a body as trace-replay makes it, as often, over one kept connection.
# The rate is the server's own: tokens after the first over the time from the
# first to the last, so that starting, the questions that trace-replay asks a
# server before and after a run, and ending it are not in it.  The difference is
# that of trace-replay to curl, as a mean over pairs, with its 95 % interval (t);
# it must be within 0.5 %.  Two pairs are a block, whose order is curl, replay,
# replay, curl: a machine that becomes steadily slower or faster is no
# difference of a block, and the interval is that of the blocks' means.
# shellcheck disable=SC1091,SC2154
set -eu
bench=$(dirname "$0")
. "$bench/lib/common.sh"
pairs=${PAIRS:-20} requests=${REQUESTS:-3} tokens=${TOKENS:-170}
token_us=${TOKEN_US:-10000}
bench_begin neighbour "$@"

start()
{
	port=$((10000 + ($$ * 41 + 977) % 20000))
	"$B/bench/busy_server" -p "$port" -P "$dir/port" -l "$dir/log" \
	    -u "$token_us" -t 1800 &
	pids=$!
	wait_file "$dir/port" "$pids" || exit 4
	url=http://127.0.0.1:$port/v1/chat/completions
	trace-gen -q --isl 8 --osl "$tokens" --count "$requests" \
	    -o "$dir/trace" --force
	trace-replay --dry-run --url "$url" --model m "$dir/trace" |
	    sed '1,/^\r*$/d' | tr -d '\n' >"$dir/body"
}

by_curl()
{
	set --
	for _ in $(seq "$requests"); do
		set -- "$@" "$url"
	done
	curl -sN -H 'content-type: application/json' --data-binary "@$dir/body" \
	    "$@" >/dev/null
}

by_replay()
{
	# shellcheck disable=SC2086
	trace-replay -q ${REPLAY:-} --url "$url" --model m --warmup 0 \
	    --concurrency 1 -o "$dir/wire" --force "$dir/trace" >/dev/null
}

# one CLIENT: its rate, from the lines that it added to the log, one an answer.
one()
{
	before=$(wc -l <"$dir/log")
	"by_$1"
	[ "$(wc -l <"$dir/log")" -eq $((before + requests)) ] || {
		echo "neighbour: $1 got other than $requests answers" >&2
		exit 4
	}
	tail -n "+$((before + 1))" "$dir/log" | jq -s -c --arg client "$1" \
	    --argjson pair "$pair" '{pair: $pair, client: $client,
	    per_s: ((map(.tokens - 1) | add) / (map(.decode_s) | add)),
	    total_per_s: ((map(.tokens) | add) / (map(.total_s) | add))}' \
	    >>"$dir/runs"
}

start
pair=0
by_curl
while [ "$pair" -lt "$pairs" ]; do
	one curl
	one replay
	pair=$((pair + 1))
	one replay
	one curl
	pair=$((pair + 1))
done
stop
jq -s -c '
# Two-sided 95 % quantiles of t for 1 to 30 degrees of freedom.
def t: [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080,
    2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042][. - 1] // 2;
def of(c; f): map(select(.client == c) | f);
def median: sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2;
def row(name; f): [of("replay"; f), of("curl"; f)] | . as $two |
    [transpose[] | .[0] / .[1] - 1] | . as $d |
    [range(0; length; 2) | ($d[.] + $d[. + 1]) / 2] | length as $n |
    (add / $n) as $mean |
    ((map(. - $mean | . * .) | add) / ($n - 1) | sqrt) as $sd |
    (($n - 1 | t) * $sd / ($n | sqrt)) as $half |
    {cell: name, pairs: ($d | length), blocks: $n,
     curl_per_s: ($two[1] | median),
     replay_per_s: ($two[0] | median), loss_percent: (-100 * $mean),
     lo_percent: (-100 * ($mean + $half)), hi_percent: (-100 * ($mean - $half)),
     sd_percent: (100 * $sd)};
row("decoding"; .per_s), row("whole answers"; .total_per_s)' \
    "$dir/runs" >"$dir/rows"
jq -r 'def r: . * 1000 | round / 1000;
"\(.cell): \(.curl_per_s | r) tokens/s by curl, \(.replay_per_s | r) by trace-replay; lost \(.loss_percent | r) % (95 %: \(.lo_percent | r) to \(.hi_percent | r)), n = \(.pairs) pairs, sd of the blocks \(.sd_percent | r) %"' "$dir/rows"
bench_end
