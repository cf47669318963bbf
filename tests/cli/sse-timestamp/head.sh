#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A reader that leaves ends it quietly.
sse-timestamp -q -z 0 --no-host "$FIXTURES/v1/wire.zst" | head -n 1
