#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each is told which tool comes first.
cd "$FIXTURES/v1" || exit
for f in trace wire metrics report; do
	metrics-reduce $f.jsonl
	echo $?
done
metrics-reduce <wire.zst
echo $?
