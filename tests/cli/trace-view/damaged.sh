#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A wrong byte, a record that is none, reads that are not those of the body.
cp "$FIXTURES/v1/wire.zst" bad.wire
printf 'XX' | dd of=bad.wire bs=1 seek=2100 conv=notrunc 2>/dev/null
trace-view bad.wire >out || echo "exit $?"
grep NOT out
sed '5s/$/,/' "$FIXTURES/v1/wire.jsonl" >comma.wire
trace-view comma.wire | grep -A1 integrity
sed 's/"bytes":\[62/"bytes":[61/' "$FIXTURES/v1/wire.jsonl" >reads.wire
trace-view --id r1 --timeline reads.wire >out || echo "exit $?"
tail -n 1 out
