#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A table of each of the files that other tools wrote.
r=$FIXTURES/results
for f in aiperf-0.13.0.jsonl aiperf-0.13.0-summary.json vllm-0.33.0.json \
    vllm-0.33.0-failed.json guidellm-0.8.1.json; do
	echo "== $f"
	metrics-reduce --import auto --format table "$r/$f"
done
