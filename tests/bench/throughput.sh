#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# CPU that trace-replay takes for an event and for a request, against a bare
# epoll reader of the same answers, in turn within one run.
#
#	throughput.sh [--json FILE]
#
#	RUNS          5, alternating
#	MERGED        2000000 events, 20 in a write, as fast as they are taken
#	SINGLE        300000 events, one in a write and 1,000 streams in turn,
#	RATE          60000 a second
#	REQUESTS      50000 requests of one event over 32 kept connections
#	KEEP          what trace-replay is to keep, where it has --keep: raw times
#	REPLAY        further options for trace-replay, as --spin
#
# The CPU is of the whole process, with encoding, compressing and writing, and
# of the network loop alone as its own record says; ratios are the bare reader's
# CPU over trace-replay's, medians of those within each run.  The bare reader
# keeps nothing.  Where trace-replay keeps all bytes, it is set besides against
# the same reader that does, too: as they come, compressed alike, into a file.
# shellcheck disable=SC1091,SC2154
set -eu
bench=$(dirname "$0")
. "$bench/lib/common.sh"
merged=${MERGED:-2000000} single=${SINGLE:-300000} rate=${RATE:-60000}
requests=${REQUESTS:-50000} keep=${KEEP:-raw times}
bench_begin throughput "$@"
has trace-replay --keep || keep=raw

# bare FILE STREAMS REQUESTS TOKENS [OPTION ...]
bare()
{
	out=$1 n=$2 r=$3 e=$4
	shift 4
	cost "$dir/cost" "$B/bench/bare_reader" -p "$pump_port" -n "$n" \
	    -r "$r" -e "$e" "$@" >"$out"
}

# replay FILE STREAMS REQUESTS TOKENS KEEP
replay()
{
	out=$1 kept=$5
	trace-gen -q --isl 8 --osl "$4" --count "$3" -o "$dir/trace" --force
	set -- --url "$server_url" --concurrency "$2" --warmup 0 --model m
	! has trace-replay --keep || set -- "$@" --keep "$kept"
	# shellcheck disable=SC2086
	cost "$dir/cost" trace-replay -q ${REPLAY:-} "$@" -o "$dir/wire" \
	    --force "$dir/trace" >/dev/null || echo "trace-replay: exit $?" >&2
	zstdcat "$dir/wire" | grep '^{"kind":"fidelity"' >"$dir/fidelity"
	jq -c --argjson bytes "$(wc -c <"$dir/wire")" \
	    --slurpfile f "$dir/fidelity" '. + {loop_s:
	    ($f[0].cpu.loop_ns / 1e9), writer_s: (($f[0].cpu.writer_ns // 0)
	    / 1e9), reads: $f[0].reads.n, archive_bytes: $bytes,
	    verdict: $f[0].verdict}' "$dir/cost" >"$out"
	rm -f "$dir/wire"
}

# compare CELL STREAMS REQUESTS TOKENS KEEP: all of them once, against the pump
# that runs; a line in $dir/runs, in us for each event, or request if TOKENS is
# 1.  An answer has two events more, its finish and its end.
compare()
{
	bare "$dir/plain" "$2" "$3" "$4"
	bare "$dir/stamped" "$2" "$3" "$4" -k
	echo '{}' >"$dir/keeping"
	[ "$5" != raw ] ||
	    bare "$dir/keeping" "$2" "$3" "$4" -w "$dir/kept"
	replay "$dir/replay" "$2" "$3" "$4" "$5"
	jq -n -c --arg cell "$1" --argjson tokens "$4" --argjson asked "$3" \
	    --slurpfile p "$dir/plain" --slurpfile s "$dir/stamped" \
	    --slurpfile k "$dir/keeping" --slurpfile r "$dir/replay" '
	$p[0] as $p | $s[0] as $s | $k[0] as $k | $r[0] as $r |
	(if $tokens == 1 then $asked else $p.events end) as $n |
	{cell: $cell, units: $n, us: ($r.cpu_s / $n * 1e6),
	 loop_us: ($r.loop_s / $n * 1e6), writer_us: ($r.writer_s / $n * 1e6),
	 bare_us: ($p.cpu_s / $n * 1e6), stamped_us: ($s.cpu_s / $n * 1e6),
	 per_cpu_s: ($n / $r.cpu_s), loop_per_cpu_s: ($n / $r.loop_s),
	 bare_per_cpu_s: ($n / $p.cpu_s),
	 ratio: ($p.cpu_s / $r.cpu_s), loop_ratio: ($p.cpu_s / $r.loop_s),
	 stamped_ratio: ($s.cpu_s / $r.cpu_s),
	 stamped_loop_ratio: ($s.cpu_s / $r.loop_s),
	 bare_reads: $p.reads, reads: $r.reads, wall_s: $r.wall_s,
	 bare_wall_s: $p.wall_s, archive_bytes: ($r.archive_bytes / $n),
	 maxrss_kb: $r.maxrss_kb, verdict: $r.verdict} +
	if $k.cpu_s then {keeping_us: ($k.cpu_s / $n * 1e6),
	 keeping_ratio: ($k.cpu_s / $r.cpu_s),
	 keeping_bare_ratio: ($p.cpu_s / $k.cpu_s)} else {} end' >>"$dir/runs"
}

run=1
while [ "$run" -le "$runs" ]; do
	for k in $keep; do
		pump -k 20
		compare "merged events, keep $k" 100 $((merged / 5000)) 5000 "$k"
		stop
		pump -k 1 -r "$rate"
		compare "one event a segment, keep $k" 1000 1000 \
		    $((single / 1000)) "$k"
		stop
		pump -k 1
		compare "keep-alive requests, keep $k" 32 "$requests" 1 "$k"
		stop
	done
	run=$((run + 1))
done
medians >"$dir/rows"
jq -s -r '
def r3: . * 1000 | round / 1000;
def mega: . / 1000 | round | . / 1000 | tostring + " M";
("CPU us each: whole process, its loop, bare reader, bare with stamps; " +
 "ratio to bare: whole, loop (to bare with stamps: whole, loop)"),
(.[] | "\(.cell), n = \(.runs) runs of \(.units)",
"  \(.us | r3) \(.loop_us | r3) \(.bare_us | r3) \(.stamped_us | r3) us   ratio \(.ratio | r3) \(.loop_ratio | r3) (\(.stamped_ratio | r3) \(.stamped_loop_ratio | r3))",
"  each CPU-s: \(.per_cpu_s | mega), loop \(.loop_per_cpu_s | mega), bare \(.bare_per_cpu_s | mega); \(.reads) reads (bare \(.bare_reads)); archive \(.archive_bytes | r3) bytes each; \(.verdict)",
(select(.keeping_us) | "  to a bare reader that keeps every byte, \(.keeping_us | r3) us: whole \(.keeping_ratio | r3); that reader to the bare one \(.keeping_bare_ratio | r3)"))
' "$dir/rows"
bench_end
