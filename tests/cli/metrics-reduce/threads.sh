#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# However many threads summarize, the output is the same.
awk -v requests=12000 -v fail=7 -v short=3 -f "$CLI/../support/events.awk" >a
for format in stream csv 'table --worst 5 --wide'; do
	for by in '' '--by isl'; do
		# shellcheck disable=SC2086
		metrics-reduce -z 0 --format $format $by --no-host \
		    --threads 1 <a | sed 's/"argv":\[[^]]*\]//' >want
		for threads in '' '--threads 2' '--threads 5'; do
			# shellcheck disable=SC2086
			metrics-reduce -z 0 --format $format $by --no-host \
			    $threads <a | sed 's/"argv":\[[^]]*\]//' >got
			cmp want got && [ -s got ] &&
			    echo "$format $by $threads"
		done
	done
done
metrics-reduce --threads 0 a
echo $?
