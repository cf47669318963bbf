#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One document, with what a stream has but the results, and the worst.
awk -v requests=100 -v fail=50 -f "$CLI/../support/events.awk" |
    metrics-reduce --no-host --format json --worst 1 --by isl >out
jq -c '.tool, (.segments[0] | keys), (.segments[0].runs[0] | keys)' out
jq -c '.segments[0] | .run_id, .epoch, .meta, .prov[-1].tool' out
jq -c '.segments[0].runs[0] | .start.concurrency, .end.stop,
    .fidelity.verdict, (.checks | length), (.worst | map(.id))' out
jq -c '.segments[0].runs[0].summaries[] |
    select(.metric == "ttft") | [.group, .n, .failed, .quantiles.p50]' out
