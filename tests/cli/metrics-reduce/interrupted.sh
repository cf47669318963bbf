#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Above the numbers; the numbers are there, and the exit code is 0.
awk -v requests=3 -v stop=interrupted -v status=interrupted \
    -f "$CLI/../support/events.awk" >events
metrics-reduce --format table events | sed -n '/^!/,/run_end/p;/^ttft  /p'
metrics-reduce -q -z 0 --no-host events >out
echo $?
tail -n 1 out
