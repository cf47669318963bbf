#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Concatenated streams: each segment has its own sizes.
cat "$FIXTURES/v1/wire.zst" "$FIXTURES/v1/wire.jsonl" >two.wire
trace-view two.wire | grep -e segment -e stored -e integrity
