#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Requests of the dialects that differ in path, key, or shape; and what one of
# them cannot say.
cat >ask <<'END'
{"kind":"header","format":"llmtape.trace","version":"1.0","epoch":"2026-03-01T12:00:00.000000000Z","epoch_mono":"1.000000000","run_id":"a","meta":{},"prov":[]}
{"kind":"request","id":"a","input":{"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":[{"type":"text","text":"Hi"}]}]},"output_tokens":8}
{"kind":"end","records":1,"status":"complete"}
END
sed 's/"input":.*,"output/"input":{"tokens":[1,2]},"output/' ask >ids
export KEY=open-sesame
for api in responses messages gemini cohere; do
	trace-replay --url h --api "$api" --model m/1 --api-key-env KEY \
	    --warmup 0 --dry-run --extra '{"generationConfig":{"topK":1}}' ask
done
trace-replay --url h --api messages --model m --no-stream --warmup 0 \
    --header 'anthropic-version: 2024-01-01' --dry-run ask
trace-replay --url h --api gemini --model m --no-stream --warmup 0 \
    --max-tokens-field maxTokens --dry-run ask
trace-replay --url h --api gemini --model m --warmup 0 --dry-run ids 2>&1
echo $?
