#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What is no result of such a tool, or none of the one that is named, or broken.
r=$FIXTURES/results
try() {
	metrics-reduce -z 0 --import "$@" >out
	echo "exit $?, $(wc -l <out) lines"
}
cp "$r/guidellm-0.8.1.json" "$r/aiperf-0.13.0.jsonl" "$FIXTURES/v1/metrics.jsonl" .
try vllm guidellm-0.8.1.json
try guidellm aiperf-0.13.0.jsonl
try auto metrics.jsonl
: >empty
try auto empty
echo '{"hello":1}' >other
try auto other
head -c 1000 "$r/vllm-0.33.0-detailed.json" >cut.json
try auto cut.json
sed 's/"unit":"ms"/"unit":"furlongs"/' "$r/aiperf-0.13.0.jsonl" >units
try auto units
sed 's/"num_prompts": 8/"num_prompts":"eight"/' "$r/vllm-0.33.0.json" >type.json
try auto type.json
jq -c '.itls |= .[1:]' "$r/vllm-0.33.0-detailed.json" >lists
try auto lists
{ sed 1q "$r/aiperf-0.13.0.jsonl"; echo '{"metadata":{}}'; } >lines
try aiperf lines
try auto no-such-file
