#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Text, bytes, and a JSON body that was not streamed.
cp "$FIXTURES/bad/not-json.txt" .
sse-timestamp not-json.txt >out
echo $?
sse-timestamp <"$FIXTURES/bad/binary.bin" >out
echo $?
echo "{\"error\":{\"message\":\"no such model\"}}" | sse-timestamp >out
echo $?
