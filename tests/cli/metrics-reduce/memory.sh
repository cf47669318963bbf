#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# However little memory it may take, the output is the same.
awk -v requests=400 -v tokens=40 -v fail=7 -f "$CLI/../support/events.awk" >a
for format in stream csv table; do
	for by in '' '--by isl'; do
		# shellcheck disable=SC2086
		metrics-reduce -z 0 --format $format $by --no-host <a |
		    sed 's/"argv":\[[^]]*\]//' >want
		for size in 1 5000 64K 1M; do
			# shellcheck disable=SC2086
			metrics-reduce -z 0 --format $format $by --no-host \
			    --max-memory $size <a |
			    sed 's/"argv":\[[^]]*\]//' >got
			cmp want got && [ -s got ] && echo "$format $by $size"
		done
	done
done
TMPDIR=/nowhere metrics-reduce --format csv --max-memory 1 a >got
echo $?
TMPDIR=/nowhere metrics-reduce --format csv a | cmp - got 2>&1 |
    sed 's/ after.*//'
metrics-reduce --max-memory 0 a
echo $?
