#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A file of several groups of frames: only a few are decoded, and the answers are
# those of the same file without an index.
zstdcat "$FIXTURES/v1/wire.zst" | awk '
/"kind":"exchange"/ && /"id":"r2"/ { line = $0; next }
/"kind":"part"/ || /"kind":"exchange"/ { next }
/"kind":"end"/ {
	for (i = 1; i <= 30000; i++) {
		s = line
		sub(/"x":[0-9]+/, "\"x\":" i, s)
		sub(/"id":"r2"/, "\"id\":\"q" i "\"", s)
		print s
		n++
	}
	sub(/"records":[0-9]+/, "\"records\":" n)
	print
	next
}
{ print }
NR > 1 { n++ }' >big.wire
sse-timestamp -q big.wire -o big.events
trace-view --json big.events | jq -c '[.integrity.whole,
    .stored.index_frames > 3]'
zstdcat big.events | zstd -q >none.events
for id in q1 q17000 q30000; do
	trace-view -v --id $id --timeline big.events >with
	trace-view -q --id $id --timeline none.events >without
	tail -n +3 with >with.rest
	tail -n +3 without | cmp - with.rest
	[ -s with.rest ] || echo "nothing of $id"
done
