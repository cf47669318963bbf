#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Whichever pread fails, the exit code is 4 and the message says so.
sse-timestamp -q "$FIXTURES/v1/wire.zst" -o run.events
n=1
while rm -f mark
	LD_PRELOAD=$B/support/failio.so FAILIO=pread:$n:EIO FAILIO_MARK=mark \
	    trace-view -q --id r1 --timeline run.events >out 2>err
	code=$?
	[ -e mark ]
do
	[ $code -eq 4 ] || echo "pread $n: exit $code"
	cat err
	n=$((n + 1))
done
[ "$n" -gt 1 ] || echo "no pread failed"
