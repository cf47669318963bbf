#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What peers have read and what they said of it, kept in FIXTURES/peers: from
# their own times their own numbers come out.  Rates and durations have their
# client's time at both ends in them, guidellm's times 238 ns between them.
for peer in aiperf vllm sglang guidellm; do
	sse-timestamp -q -z 0 "$FIXTURES/peers/$peer.wire.zst" |
	    metrics-reduce -q -z 0 --definitions $peer >metrics
	jq -r -n --arg peer $peer --slurpfile theirs \
	    "$FIXTURES/peers/$peer.json" '
	def differs($a; $b): (($a - $b) | fabs) >
	    1e-5 * ([$a, $b | fabs] | max);
	[inputs | select(.definitions == $peer) | .metric as $m |
	    select($m | test("throughput$|duration|concurrency$|per_second") |
		not) |
	    {value, mean, sd, min, max} + (.quantiles // {}) | to_entries[] |
	    select(.value != null) | .key as $k |
	    ($theirs[0][$m] // {})[$k] as $want | select($want != null) |
	    {name: "\($m) \($k)", off: differs(.value; $want)}] |
	"\($peer): \(length) values, off: \(map(select(.off).name))"' metrics
done
