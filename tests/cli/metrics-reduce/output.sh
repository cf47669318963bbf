#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# -o: a stream unless another format is asked for; nothing else is left.
metrics-reduce -q -o out.metrics "$FIXTURES/v1/events.zst"
zstdcat out.metrics | tail -n 1
metrics-reduce -q -o out.csv --format csv "$FIXTURES/v1/events.zst"
head -n 2 out.csv | cut -c 1-40
ls
