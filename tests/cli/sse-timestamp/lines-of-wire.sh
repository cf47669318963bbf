#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
sse-timestamp --format lines "$FIXTURES/v1/wire.zst"
