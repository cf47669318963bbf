#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# As a file, as standard input, and as an empty frame.
: >empty
sse-timestamp empty
echo $?
sse-timestamp <empty
echo $?
zstd -q empty
sse-timestamp empty.zst
echo $?
