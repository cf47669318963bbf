#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Whichever write fails, the exit code is 4, the message says so, and -o leaves
# nothing.
failing()
{
	n=1
	while rm -f mark
		LD_PRELOAD=$B/support/failio.so FAILIO=write:$n:ENOSPC \
		    FAILIO_MARK=mark trace-gen -q --no-host --isl 5,2 --osl 3 \
		    --count 40000 "$@" >stdout 2>err
		code=$?
		[ -e mark ]
	do
		[ $code -eq 4 ] || echo "write $n: exit $code"
		cat err
		[ ! -e out ] || echo "write $n left a file"
		n=$((n + 1))
	done
	[ "$n" -gt 2 ] || echo 'too few writes'
	rm -f out
}
failing | sort -u
failing -o out | sort -u
LD_PRELOAD=$B/support/failio.so FAILIO=close:1:ENOSPC \
    trace-gen -q --isl 5 --osl 3 --count 4 -o out
echo $?
ls
