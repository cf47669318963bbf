#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# An exchange of which only parts came, as after a crash.
grep -v '"kind":"exchange".*"id":"r1"' "$FIXTURES/v1/wire.jsonl" |
    sed '/"kind":"end"/s/"records":9/"records":8/' >lost.wire
trace-view --id r1 --timeline lost.wire
trace-view --id r1 --timeline --json lost.wire | jq -c '[.lost, .parts,
    (.reads | length), .in_flight]'
