#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In each format.
for f in stream table json csv; do
	metrics-reduce -q --format $f "$FIXTURES/v1/events.zst" >/dev/full
	echo $?
done
