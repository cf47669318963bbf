#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Several results in one file, as vllm appends them; Python's NaN; compressed;
# and a sweep of three files.
r=$FIXTURES/results
sed 's/"max_concurrency": 2/"max_concurrency":4/
	s/"request_goodput": null/"request_goodput":NaN/
	s/"label": null/"label":"NaN \\" NaN"/' "$r/vllm-0.33.0.json" >four
{ cat "$r/vllm-0.33.0.json"; cat four; } >both
zstd -q both
metrics-reduce -z 0 --import vllm both.zst "$r/vllm-0.33.0-detailed.json" |
    jq -c '(select(.kind == "run" and .at == "start") |
	[.concurrency, .requests]), (select(.kind == "end") | .status)'
metrics-reduce --import vllm --format csv --by concurrency both |
    grep -c '"{""concurrency"":4}",ttft,'
