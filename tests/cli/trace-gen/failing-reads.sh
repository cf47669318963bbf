#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Whichever read fails, the exit code is 4.
awk 'BEGIN { for (i = 0; i < 20000; i++) print "{\"text\":\"prompt\"}" }' >in
n=1
while rm -f mark
	LD_PRELOAD=$B/support/failio.so FAILIO=read:$n:EIO FAILIO_MARK=mark \
	    trace-gen -q --no-host --from prompts in >out 2>err
	code=$?
	[ -e mark ]
do
	[ $code -eq 4 ] || echo "read $n: exit $code"
	sed 's/:[0-9]*:/:N:/' err
	n=$((n + 1))
done | sort -u
# Nothing is left of what a failed read cut short.
LD_PRELOAD=$B/support/failio.so FAILIO=read:2:EIO \
    trace-gen -q --from prompts -o file in 2>/dev/null
echo $?
[ ! -e file ] && echo 'nothing is left'
