#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What is not a metrics stream is refused, with what makes one of it.
cd "$FIXTURES" || exit
for f in v1/trace.jsonl v1/wire.zst v1/events.zst v1/report.zst bad/empty.jsonl \
    bad/not-json.txt bad/major-2.jsonl bad/malformed.jsonl bad/binary.bin; do
	ab-compare "$f"
	echo "$f: $?"
done 2>&1
