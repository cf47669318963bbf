#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Whichever read fails, the exit code is 4 and the message says so.
n=1
while rm -f mark
	LD_PRELOAD=$B/support/failio.so FAILIO=read:$n:EIO FAILIO_MARK=mark \
	    trace-view -q - <"$FIXTURES/v1/wire.zst" >out 2>err
	code=$?
	[ -e mark ]
do
	[ $code -eq 4 ] || echo "read $n: exit $code"
	cat err
	n=$((n + 1))
done
[ "$n" -gt 1 ] || echo "no read failed"
