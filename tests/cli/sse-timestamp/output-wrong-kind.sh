#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# An input of which nothing is taken leaves no output, and what was there.
echo old >out
sse-timestamp -o out "$FIXTURES/v1/trace.zst" 2>/dev/null
echo $?
cat out
sse-timestamp -o new "$FIXTURES/v1/trace.zst" 2>/dev/null
ls
