#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One exchange, out of two records, with its neighbours; then one that failed.
cp "$FIXTURES/v1/wire.zst" run.wire
trace-view --id r1 --timeline --others run.wire
trace-view --id r2 --timeline run.wire
