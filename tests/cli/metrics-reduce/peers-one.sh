#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What each of them would have printed: its titles, units and statistics.
awk -v requests=12 -v fail=5 -f "$CLI/../support/events.awk" >run
for peer in aiperf vllm sglang guidellm genai-perf mlperf; do
	metrics-reduce --format table --definitions $peer run |
	    sed -n '/^by /,$p'
done
echo wide:
metrics-reduce --format table --wide --definitions aiperf run |
    sed -n '/^by /,/^Time/p'
