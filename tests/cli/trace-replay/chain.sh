#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The archive's chain goes on from that of the trace.
trace-gen --isl 4 --osl 4 --count 3 --no-host -o t
trace-replay -q --url 127.0.0.1:9 --model m --no-host --abort-after 1 \
    -z 0 t 2>/dev/null |
    head -n 1 | grep -o '"id":"p[0-9]*",\("from":[^]]*],\)\?"tool":"[a-z-]*"'
