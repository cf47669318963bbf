#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# As a file, as standard input, and as an empty frame.
: >empty
metrics-reduce empty
echo $?
metrics-reduce <empty
echo $?
zstd -q empty
metrics-reduce --format table empty.zst
echo $?
