#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# From the start of trace-replay to its first request, with a trace of a million,
# and its memory with traces of any length.
#
#	startup.sh [--json FILE]
#
#	REQUESTS    1000000, of the trace whose start is timed
#	MEMORY      10000 100000 1000000: traces that are played to their end
#	            (or none)
#	RUNS        5, alternating; of memory the median of 3 at most
#
# The first request is the first one of the warm-up, as the archive says; before
# it the server was asked for its model and its health.  From the start: from
# just before the process was made.  From the first record: the trace comes over
# a pipe that has its header and vocabulary, and then nothing for 0.3 s, after
# which the clock is read and the rest written.
# shellcheck disable=SC1091,SC2154
set -eu
bench=$(dirname "$0")
. "$bench/lib/common.sh"
requests=${REQUESTS:-1000000}
memory=${MEMORY:-10000 100000 1000000}
bench_begin startup "$@"

# text N: a trace of N prompts as text.
text()
{
	perl -e 'my $n = shift; print "{\"kind\":\"header\",\"format\":",
	    "\"llmtape.trace\",\"version\":\"1.0\",\"epoch\":",
	    "\"2026-03-01T12:00:00.000000000Z\",\"epoch_mono\":",
	    "\"1.000000000\",\"run_id\":\"r\",\"prov\":[]}\n";
	my $words = join " ", ("word") x 40;
	print "{\"kind\":\"request\",\"id\":\"$_\",\"t_ns\":", $_ * 500000,
	    ",\"input\":{\"text\":\"$words\"},\"output_tokens\":8}\n"
	    for 1 .. $n;
	print "{\"kind\":\"end\",\"records\":$n,\"status\":\"complete\"}\n"' "$1"
}

now()
{
	date +%s%N
}

# first CELL: when the first request was sent, after the time in $dir/t0.
first()
{
	epoch=$(date -d "$(head -n 1 "$dir/wire" | jq -r .epoch)" +%s%N)
	jq -c --arg cell "$1" --argjson t0 "$(cat "$dir/t0")" \
	    --argjson epoch "$epoch" -s '
	{cell: $cell, ms: (($epoch - $t0 + ([.[] | select(.kind == "exchange") |
	    .start_ns] | min)) / 1e6)}' "$dir/wire" >>"$dir/runs"
}

replay()
{
	taskset -c "$client_core" timeout 60 trace-replay -q -z 0 --keep times \
	    --url "$server_url" --requests 50 "$@" >"$dir/wire"
}

trace-gen -q --isl 40 --osl 8 --count "$requests" --arrivals poisson \
    --rate 2000 -o "$dir/blocks.tape"
text "$requests" | zstd -q -1 >"$dir/text.tape"
zstd -q -d -c "$dir/blocks.tape" >"$dir/plain"
text 10 | zstd -q -1 >"$dir/short.tape"
serve --ttft 0ms --itl 0ms
for _ in $(seq "$runs"); do
	now >"$dir/t0"
	replay --requests 10 "$dir/short.tape"
	first 'file of 10, from the start'
	now >"$dir/t0"
	replay "$dir/blocks.tape"
	first 'file of blocks, from the start'
	now >"$dir/t0"
	replay "$dir/text.tape"
	first 'file of text, from the start'
	now >"$dir/t0"
	trace-gen -q --isl 40 --osl 8 --count "$requests" --arrivals poisson \
	    --rate 2000 2>/dev/null | replay
	first 'pipe from trace-gen, from the start'
	{
		head -n 2 "$dir/plain"
		sleep 0.3
		now >"$dir/t0"
		tail -n +3 "$dir/plain" 2>/dev/null
	} | replay
	first 'pipe, from the first record'
done
stop

pump -t 3600
[ "$runs" -lt 3 ] || runs=3
for _ in $(seq "$runs"); do
	for n in $memory; do
		[ "$n" != none ] || continue
		trace-gen -q --isl 40 --osl 1 --count "$n" -o "$dir/trace" --force
		LIMIT=900 cost "$dir/cost" trace-replay -q --keep times \
		    --url "$server_url" --model m --warmup 0 --concurrency 64 \
		    -o "$dir/out" --force "$dir/trace" >/dev/null
		jq -c --arg n "$n" '{cell: "\($n) requests played",
		    peak_mb: (.maxrss_kb / 1024), wall_s}' "$dir/cost" \
		    >>"$dir/runs"
	done
done
stop

medians | jq -c '. + (if .ms then {quantity: "first request: \(.cell)",
    value: .ms, unit: "ms"} +
    (if .cell | test("first record|of blocks") then {must: 100, goal: 10}
     else {} end)
  else {quantity: "peak memory: \(.cell)", value: .peak_mb, unit: "MiB"}
  end)' >"$dir/rows"
jq -r '"\(.quantity), n = \(.runs): \(.value * 10 | round / 10) \(.unit)"' \
    "$dir/rows"
bench_end
