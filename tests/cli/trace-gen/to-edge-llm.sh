#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A trace as the input of Edge-LLM's llm_inference: prompts are those that
# trace-replay sends, what is one for all stands above, and what the file cannot
# hold is refused by the request's name.
header='{"kind":"header","format":"llmtape.trace","version":"1.1","epoch":"2026-03-01T12:00:00.000000000Z","epoch_mono":"0.000000000","run_id":"00000000000000aa","prov":[]}'
# trace REQUEST-MEMBERS ...: a request each
trace()
{
	n=0
	printf '%s\n' "$header"
	for t; do
		n=$((n + 1))
		printf '%s\n' "{\"kind\":\"request\",\"id\":\"r$n\",$t}"
	done
	echo "{\"kind\":\"end\",\"records\":$#,\"status\":\"complete\"}"
}
try()
{
	trace "$@" | trace-gen --to edge-llm >out
	echo "exit $?, $(wc -c <out) bytes"
}

trace-gen --isl 8 --osl 5 --count 3 -q --no-host -o blocks.trace
trace-gen --to edge-llm blocks.trace | tee blocks.json
trace-replay --dry-run --url localhost:1 --model m blocks.trace |
    sed -n 's/.*"messages":\(\[.*\]\),"max_tokens.*/\1/p' >sent
grep -cF "$(cat sent)" blocks.json

p='"output_tokens":64,"params":{"temperature":0,"top_p":0.9,"top_k":1,"stream":true,"n":1,"model":"x"'
trace "\"input\":{\"text\":\"a \\\"b\\\"\\n\\u00e9\"},$p,\"stop\":[\"x\"]}" \
    "\"input\":{\"messages\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"t\"}]}]},\"session\":\"s\",$p,\"logit_bias\":{\"2\":-100}}" \
    "\"input\":{\"text\":\"c\"},\"t_ns\":5,\"labels\":{\"isl\":1},$p}" |
    trace-gen --to edge-llm | tee many.json
jq -c '[.batch_size, .temperature, .top_p, .top_k, .max_generate_length,
    (.requests | length), .requests[0].messages[0].content]' many.json

t='"input":{"text":"a"}'
echo "refused"
try "$t,\"output_tokens\":5" "$t,\"output_tokens\":6"
try "$t,\"output_tokens\":5" "$t"
try "$t,\"params\":{\"temperature\":0}" "$t,\"params\":{\"temperature\":1}"
try "$t,\"params\":{\"top_k\":1}" "$t"
try "$t,\"params\":{\"ignore_eos\":true}"
try "$t,\"params\":{\"n\":2}"
try '"input":{"tokens":[1,2]}'
try '"input":{"body":"{}","path":"/v1/x"}'
try '"input":{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}]}'
try '"input":{"messages":[{"role":"assistant","content":"","tool_calls":[]}]}'
try '"input":{"messages":[{"role":"user"}]}'
try '"input":{"messages":["x"]}'
try '"input":{"blocks":{"vocab":"none","seed":1,"size":4,"ids":[1],"tokens":4}}'
try
trace-gen --to edge-llm --isl 5 --osl 5 --count 1
echo "exit $?"
trace-gen --to edge-llm --seed 1 blocks.trace
echo "exit $?"
trace-gen --to other blocks.trace
echo "exit $?"
