#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A reader that leaves ends it quietly.
cp "$FIXTURES/v1/wire.zst" .
sse-timestamp -q -z 0 --no-host wire.zst | head -n 1
