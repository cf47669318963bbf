#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Without --timeline the records as they stand there.
cp "$FIXTURES/v1/wire.zst" run.wire
trace-view --id r1 run.wire | jq -c '[.kind, .x, .seq, .parts]'
zstdcat run.wire | grep '"id":"r1"' >want
trace-view --id r1 run.wire | cmp - want
trace-view --x 1 run.wire | cmp - want
trace-view --x 1 --id r1 --run 1 run.wire | cmp - want
