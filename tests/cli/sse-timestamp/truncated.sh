#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What came is written, the segment says failed, and the exit code is 3.
cp "$FIXTURES/bad/truncated-plain.jsonl" .
sse-timestamp -z 0 --no-host truncated-plain.jsonl >out
echo $?
tail -n 1 out
sse-timestamp -z 0 --no-host --allow-truncated truncated-plain.jsonl >out
echo $?
tail -n 1 out
