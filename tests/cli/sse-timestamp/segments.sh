#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Segments stay segments; the worst ending is that of the last one.
sed "\$s/interrupted/complete/" "$FIXTURES/v1/wire.jsonl" >a
cat a "$FIXTURES/v1/wire.zst" | sse-timestamp -z 0 --no-host |
    grep "\"kind\":\"end\""
sed "\$s/interrupted/failed/" "$FIXTURES/v1/wire.jsonl" >b
sse-timestamp -z 0 --no-host b a >out
echo $?
grep "\"kind\":\"end\"" out
