#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
trace-gen --isl 4 --osl 4 --count 3 --no-host -o t
trace-replay -q --url 127.0.0.1:9 --model m t >/dev/full
