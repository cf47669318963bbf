#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One object a segment, of two files of two segments.
cat "$FIXTURES/v1/wire.zst" "$FIXTURES/v1/wire.zst" >two.wire
trace-view -q --json two.wire "$FIXTURES/v1/trace.jsonl" >out
jq -c '[.segment, .header.format, .records, .kinds, .integrity.whole,
    .stored.frames, .stored.index_frames]' out
jq -c 'select(.segment == 2) | del(.file, .header.prov, .stored)' out
