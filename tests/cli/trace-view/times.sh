#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Where only times were kept there are reads without their bytes.
jq -c 'del(.body, .body_b64)' "$FIXTURES/v1/wire.jsonl" >times.wire
trace-view --id r1 --timeline times.wire
trace-view --id r1 --timeline --json times.wire |
    jq -c '[.bytes_kept, .body_bytes, .reads]'
