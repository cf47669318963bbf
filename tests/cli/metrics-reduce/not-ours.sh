#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What servers and files hold that is no stream of ours.
cd "$FIXTURES" || exit
metrics-reduce sse/sglang-chat-kimi-k2.sse
echo $?
metrics-reduce bad/binary.bin
echo $?
metrics-reduce bad/not-json.txt
echo $?
