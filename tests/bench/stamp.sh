#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sse-timestamp over a wire stream: events per CPU second of the whole process,
# decoding the input and encoding and compressing the output included; the
# median of 5 runs.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

# rate NAME EVENTS FILE: one line.
rate()
{
	for _ in 1 2 3 4 5; do
		bash -c 'TIMEFORMAT="%U %S"; time sse-timestamp -q "$0" \
		    >/dev/null' "$3" 2>&1
	done | awk '{ print $1 + $2 }' | sort -n | awk -v name="$1" -v n="$2" '
	{ s[NR] = $1 }
	END {
		printf "%-42s %6.2f M events/CPU-s (%.2f s, %.2f to %.2f)\n",
		    name, n / s[3] / 1e6, s[3], s[1], s[5]
	}'
}

"$B/bench/stamp" 4000 256 1 >"$tmp/one"
"$B/bench/stamp" 4000 256 8 >"$tmp/merged"
"$B/bench/stamp" 100 10000 1 >"$tmp/long"
zstd -q -1 "$tmp/one" -o "$tmp/one.zst"
rate 'one event a read, zstd' 1036000 "$tmp/one.zst"
rate 'one event a read, plain' 1036000 "$tmp/one"
rate 'eight events a read, plain' 1036000 "$tmp/merged"
rate 'answers of 10,000 events in parts, plain' 1000400 "$tmp/long"
