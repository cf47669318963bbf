#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each is refused, with its place.
for f in "$FIXTURES"/bad/*.jsonl "$FIXTURES"/bad/*.zst; do
	sse-timestamp -z 0 --no-host "$f" 2>&1 >out | sed "s|.*/bad/||"
	sse-timestamp -q "$f" >out 2>err
	[ $? -eq 3 ] || echo "${f##*/}: not 3"
done
