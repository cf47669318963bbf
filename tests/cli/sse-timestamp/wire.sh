#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Everything of the frozen wire stream.
sse-timestamp -z 0 --no-host --text "$FIXTURES/v1/wire.jsonl"
