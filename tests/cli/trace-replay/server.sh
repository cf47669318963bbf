#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What a named server does not take is refused before anything is sent, and what
# is to be done about it is said; what it takes passes.  No server is there.
trace-gen --isl 4 --osl 8 --count 2 --no-host -z 0 -o t
try()
{
	trace-replay --url h --model m --dry-run "$@" 2>said >body
	code=$?
	cat said
	echo "$code"
}
echo '# extra'
try --server edge-llm --extra '{"ignore_eos":true,"temperature":0}' t
try --server edge-llm --api completions \
    --extra '{"ignore_eos":true,"temperature":0}' t
try --server edge-llm --api completions --extra '{"seed":1}' t
try --server vllm --extra '{"topk":1}' t
try --server vllm --extra '{"top_k":1}' t
echo '# ways out'
try --server edge-llm --allow-field ignore_eos \
    --extra '{"ignore_eos":true,"temperature":0}' t
try --server any --extra '{"what_ever":1,"seed":1}' t
try --extra '{"what_ever":1}' t
echo '# params, wherever they are'
sed 's/"id":"2",/&"params":{"min_tokens":8,"seed":1},/' t >params
try --server openai params
try --server openai --drop-field min_tokens --extra '{"top_k":1}' params
try --server openai --drop-field min_tokens --extra '{"seed":1}' params
echo '# the length'
try --server tgi --max-tokens-field max_completion_tokens t
echo '# a body'
{
	head -n 1 t
	cat <<-'END'
	{"kind":"request","id":"v","input":{"path":"/v1/chat/completions","body":"{\"model\":\"old\", \"messages\":[],\"n\":1,\"cache\":true,\"top_k\":1}"}}
	{"kind":"end","records":1,"status":"complete"}
	END
} >recorded
try --server trtllm recorded
try --server trtllm --drop-field cache recorded
tail -n 1 body
try --extra '{"n":2,"seed":1}' --drop-field cache recorded
tail -n 1 body
echo '# sampling left to the server'
try --server vllm t
echo '# what is no name'
try --server vlm t
try --allow-field x t
echo '# limits'
try --server-limits batch=4,queue=16 --concurrency 20 t
try --server-limits queue=2,batch=4 --concurrency 32 t
try --server-limits batch=1 t
sed 's/"id":"\([12]\)",/&"t_ns":\1,/' t >open
try --server-limits batch=1 open
try --server-limits queue=16 t
try --server-limits batch=4,,queue=1 t
try --server-limits batch=x t
