#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
awk -v requests=3 -v status=failed -f "$CLI/../support/events.awk" >events
metrics-reduce --format table events | sed -n '/^!/,/^run/p;/^ttft  /p'
metrics-reduce -z 0 --no-host events >out
echo $?
tail -n 1 out
metrics-reduce -q --allow-truncated events >out
echo $?
