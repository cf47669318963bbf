#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# More at once than there can be connections: says what to set.
trace-gen --isl 4 --osl 4 --count 3 --no-host -o t
# shellcheck disable=SC3045
ulimit -n 150
trace-replay --url h --model m --concurrency 200 t
