#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Everything of the frozen wire stream.
cp "$FIXTURES/v1/wire.jsonl" .
sse-timestamp -z 0 --no-host --text wire.jsonl
