#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# -o also keeps what came before a failure, and nothing else is left.
cp "$FIXTURES/bad/malformed.jsonl" .
sse-timestamp -q -o out "$FIXTURES/v1/wire.zst" && zstdcat out | tail -n 1
sse-timestamp -o bad malformed.jsonl
echo $?
zstdcat bad | tail -n 1
ls
