#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In stream and JSON they are summaries with a field, in CSV rows with a column;
# ours are there, too, and the same in all three.
awk -v requests=20 -f "$CLI/../support/events.awk" >run
metrics-reduce -z 0 --definitions vllm run >stream
jq -c 'select(.kind == "summary" and .definitions) |
    [.run, .arm, .definitions, .metric, .unit, .n, .value, .mean, .sd,
     .quantiles.p99, .quantile_type, .group]' stream
jq -r 'select(.kind == "summary") | .metric' stream >in-stream
metrics-reduce --format json --definitions vllm run |
    jq -r '.segments[].runs[].summaries[].metric' >in-json
metrics-reduce --format csv --definitions vllm run >rows
head -n 1 rows | sed 's/.*flags/flags/'
cut -d , -f 7 rows | sed 1d >in-csv
cmp in-stream in-json && cmp in-json in-csv && grep -c ',vllm$' rows
# Without the option all is as it was.
metrics-reduce -z 0 run | jq -c 'select(.kind == "summary" and .definitions)'
metrics-reduce --format csv run | head -n 1 | sed 's/.*flags/flags/'
