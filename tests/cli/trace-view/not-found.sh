#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What is not there is a plain no.
cp "$FIXTURES/v1/wire.zst" run.wire
trace-view --id nobody --timeline run.wire || echo "exit $?"
trace-view --x 99 --run 3 run.wire || echo "exit $?"
trace-view --id r1 --x 2 run.wire || echo "exit $?"
trace-view --id r1 --run 2 run.wire
