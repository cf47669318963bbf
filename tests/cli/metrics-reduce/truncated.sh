#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What came is summarized, the segment says failed, and the exit code is 3.
awk -v requests=3 -v cut=1 -f "$CLI/../support/events.awk" >cut.events
metrics-reduce -z 0 --no-host cut.events >out
echo $?
grep -c '"kind":"result"' out
grep '"name":"run_end"' out
tail -n 1 out
metrics-reduce --format table cut.events | sed -n '/^!/,/^run/p'
metrics-reduce -z 0 --no-host --allow-truncated cut.events >out
echo $?
tail -n 1 out
metrics-reduce --format json cut.events | jq -c '[.segments[] | .status]'
