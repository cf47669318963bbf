#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The same records, whatever the frames.
sse-timestamp -q -z 0 --no-host "$FIXTURES/v1/wire.jsonl" | sed 1d >plain
sse-timestamp -q --no-host "$FIXTURES/v1/wire.zst" | zstdcat | sed 1d >zstd
cmp plain zstd && wc -l <zstd
