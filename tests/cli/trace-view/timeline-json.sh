#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The same for machines.
cp "$FIXTURES/v1/wire.zst" run.wire
trace-view --id r1 --timeline --others --json run.wire
