#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Whichever write fails, the exit code is 4 and the message says so.
for f in stream table json csv; do
	n=1
	while rm -f mark
		LD_PRELOAD=$B/support/failio.so FAILIO=write:$n:ENOSPC \
		    FAILIO_MARK=mark metrics-reduce -q --no-host --format $f \
		    "$FIXTURES/v1/events.zst" >out 2>err
		code=$?
		[ -e mark ]
	do
		[ $code -eq 4 ] || echo "$f, write $n: exit $code"
		sort -u err
		n=$((n + 1))
	done
	[ "$n" -gt 1 ] || echo "$f: no write failed"
done
