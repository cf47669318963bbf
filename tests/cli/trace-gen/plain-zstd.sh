#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Plain and compressed input, plain and compressed output: one trace.
f=$TRACES/mooncake-conversation-64.jsonl
zstd -q -c "$f" >in.zst
head -n 3 "$f" >mixed && tail -n +4 "$f" | zstd -q -c >>mixed
for i in "$f" in.zst mixed; do
	trace-gen -z 0 --no-host --from mooncake "$i" | sed 1d >"out.$(basename "$i")"
done
cmp out.in.zst out.mixed
cmp out.in.zst "out.$(basename "$f")"
trace-gen --no-host --from mooncake - <in.zst | zstdcat | sed 1d | cmp - out.mixed
wc -l <out.mixed
