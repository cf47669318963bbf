#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Families whole, one behind the other; groups as labels, in base units; names
# and values of labels that would break the text are made harmless.
{
	awk -v requests=100 -f "$CLI/../support/events.awk"
	awk -v requests=12 -v fail=4 -f "$CLI/../support/events.awk" |
	    sed 's/"arm":"A"/"arm":"a \\"new\\" \\\\ one\\n"/
		s/"run_id":"[^"]*"/"run_id":"other"/'
} >two
metrics-reduce --format openmetrics two |
    grep 'ttft_\(largest_\)\?seconds\|failed_ratio\|output_tokens_per_second\|run_info\|check="enough"\|EOF'
sed 's/"site":/"9 si-te":/' two >odd
metrics-reduce --format openmetrics --by '9 si-te,isl' odd |
    grep '^llmtape_requests_per_second{'
metrics-reduce --format openmetrics --by isl --failures-as-infinite two |
    grep '^llmtape_latency_seconds{.*"0.\(5\|9\|99\)"}'
