#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What is in the stream: who measured, where requests went, results, failures;
# what a tool does not tell is not there.
r=$FIXTURES/results
for f in aiperf-0.13.0-failed.jsonl vllm-0.33.0-failed.json \
    guidellm-0.8.1-failed.json; do
	metrics-reduce --no-host -z 0 --import auto "$r/$f" >out
	jq -c '(select(.kind == "header") |
		{epoch, meta, prov: [.prov[] | .tool]}),
	    (select(.kind == "run") | {at, client, model, targets, concurrency,
		requests, warmup, sent, done, failed, end_ns}),
	    (select(.kind == "failure") | {class, cause, n, of})' out
	jq -c 'select(.kind == "result" and .ok == false) | {id, stage, error,
	    start_ns, ttft_ns, latency_ns, tokens}' out | head -n 1
	jq -c 'select(.kind == "result" and .ok) | {id, stage, due_ns, start_ns,
	    first_ns, last_ns, end_ns, late_ns, ttft_ns, ttst_ns, ttfo_ns,
	    latency_ns, tpot_ns, gap_n, gap_max_ns, token_events, tokens}
	    | with_entries(select(.value != null))' out | head -n 1
	jq -c 'select(.kind == "summary" and (.metric | IN("tth", "ttft", "gap",
	    "late", "server_ttft", "cached_tokens", "requests_per_s"))) |
	    {(.metric): .n}' out | jq -s -c add
done
metrics-reduce -z 0 --import vllm "$r/vllm-0.33.0.json" |
    jq -c 'select(.kind == "summary" and .n > 0 and .metric != "window")'
