#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A sweep: a line a run, what speaks against it, and a row a point; two of the
# runs are of one point.
run() {
	awk -v requests=40 "$@" -f "$CLI/../support/events.awk"
}
{
	run | sed 's/"concurrency":8/"concurrency":2/
		s/"run_id":"[^"]*"/"run_id":"two"/'
	run -v fail=20 | sed 's/"concurrency":8/"concurrency":2/
		s/"run_id":"[^"]*"/"run_id":"again"/'
	run | sed 's/"run_id":"[^"]*"/"run_id":"eight"/'
	run | sed 's/"concurrency":8/"concurrency":32/
		s/"run_id":"[^"]*"/"run_id":"many"/'
} >all
metrics-reduce --format table --by isl,concurrency all
metrics-reduce --format table --by isl,concurrency --wide all |
    sed -n '/^ isl/,$p'
