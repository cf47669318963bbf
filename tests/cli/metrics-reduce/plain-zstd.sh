#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The same records, whatever the frames.
metrics-reduce -q -z 0 --no-host "$FIXTURES/v1/events.jsonl" | sed 1d >plain
metrics-reduce -q --no-host "$FIXTURES/v1/events.zst" | zstdcat | sed 1d >zstd
cmp plain zstd && wc -l <zstd
