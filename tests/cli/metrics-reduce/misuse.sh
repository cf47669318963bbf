#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each is refused before anything is read.
try()
{
	metrics-reduce "$@" nowhere
	echo $?
}
try --slo itl=5ms
try --slo ttft=5
try --slo ttft=5ms --slo ttft=6ms
try --format yaml
try --from begin
try --worst 3
try --worst 0 --format table
try --worst-by ttft
try --format table --worst 1 --worst-by requests_per_s
try --wide
try --by isl,,osl
try --definitions wrk
