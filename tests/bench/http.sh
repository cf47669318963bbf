#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What codec/http costs, framing requests itself and over libcurl, against a
# bare epoll client of the same server, in turn within one run.
#
#	http.sh [--json FILE]
#
#	RUNS       5, alternating
#	KEPT       30000 requests over 32 kept connections
#	NEW        3000 requests, each over a connection of its own
#	STREAMS    1000 streams of 100 events, 20 ms apart, one a segment
#	BURST      1000 streams that end and restart together, five times
#	MEMORY     1000 streams open at once
#
# CPU is of the client's thread, user and system, for each request or read;
# memory is what is resident for each stream besides the kernel's.
# shellcheck disable=SC1091,SC2154
set -eu
bench=$(dirname "$0")
. "$bench/lib/common.sh"
kept=${KEPT:-30000} new=${NEW:-3000} streams=${STREAMS:-1000}
burst=${BURST:-1000} memory=${MEMORY:-1000}
bench_begin http "$@"

run=1
while [ "$run" -le "$runs" ]; do
	for what in "kept $kept" "new $new" "streams $streams" \
	    "burst $burst" "memory $memory"; do
		for client in own libcurl bare; do
			# shellcheck disable=SC2086
			timeout 120 "$B/bench/http" $client $what >>"$dir/runs"
		done
	done
	run=$((run + 1))
done
medians >"$dir/rows"
jq -r '"\(.cell): \(if .us then "\(.us * 100 | round / 100) us" else
    "\(.bytes | round) bytes" end)   n = \(.runs) runs of \(.n);" +
    " \(.failed) failed"' "$dir/rows"
bench_end
