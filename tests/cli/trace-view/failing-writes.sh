#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Whichever write fails, the exit code is 4 and the message says so.
n=1
while rm -f mark
	LD_PRELOAD=$B/support/failio.so FAILIO=write:$n:ENOSPC FAILIO_MARK=mark \
	    trace-view -q --id r1 --timeline "$FIXTURES/v1/wire.zst" >out 2>err
	code=$?
	[ -e mark ]
do
	[ $code -eq 4 ] || echo "write $n: exit $code"
	cat err
	n=$((n + 1))
done
[ "$n" -gt 1 ] || echo "no write failed"
