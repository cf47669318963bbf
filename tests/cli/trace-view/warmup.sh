#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Requests of the warm-up are marked as such.
sed 's/"stage":"measure"/"stage":"warmup"/' "$FIXTURES/v1/wire.jsonl" >run.wire
trace-view --id r1 --timeline run.wire | head -n 1
trace-view run.wire | grep warm-up
