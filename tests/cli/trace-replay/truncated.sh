#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Nothing is sent of a trace that is cut, unless that is wanted.
trace-gen --isl 4 --osl 4 --count 3 -z 0 --no-host | head -n 3 >t
trace-replay --url 127.0.0.1:9 t
echo "exit $?"
trace-replay --url 127.0.0.1:9 --model m --allow-truncated -q -z 0 --no-host t |
    tail -n 1
