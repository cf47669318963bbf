#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A live stream is an input alone.
cd "$FIXTURES" || exit
sse-timestamp sse/sglang-chat-kimi-k2.sse v1/wire.zst
