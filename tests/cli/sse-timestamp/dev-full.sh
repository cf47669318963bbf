#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Records and lines.
sse-timestamp "$FIXTURES/v1/wire.zst" >/dev/full
echo $?
sse-timestamp --format lines "$FIXTURES/sse/sglang-chat-kimi-k2.sse" >/dev/full
echo $?
