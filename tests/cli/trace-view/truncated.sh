#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What came before is shown, and that it is not whole.
sed '$d' "$FIXTURES/v1/wire.jsonl" >cut.wire
trace-view cut.wire | grep -e records -e integrity -A1
trace-view cut.wire >out || echo "exit $?"
trace-view --allow-truncated cut.wire >out || echo "exit $?"
trace-view --id r1 --timeline cut.wire >out || echo "exit $?"
tail -n 1 out
head -c 900 "$FIXTURES/v1/wire.zst" >frame.wire
trace-view --json frame.wire | jq -c '[.records, .integrity]'
