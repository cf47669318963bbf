#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The official OpenAI clients stream from trace-serve.  Nothing of this project
# needs them: without them these tests are skipped.  make deps-clients brings
# them, from PyPI and npm; others are taken by PYTHON, PYTHONPATH and NODE_PATH.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
# shellcheck source=tests/support/server.sh
. "$root/tests/support/server.sh"
# shellcheck source=tests/support/replay.sh
. "$root/tests/support/replay.sh"
: "${PYTHON:=python3}"
: "${PYTHONPATH:=$root/build/clients/python}"
: "${NODE_PATH:=$root/build/clients/node_modules}"
export PYTHONPATH NODE_PATH
scratch
cd "$tmp" || exit 1
no_proxy='*'
export no_proxy

cat >client.py <<'END'
import sys
import warnings

warnings.simplefilter("error")
import openai

client = openai.OpenAI(base_url=sys.argv[1] + "/v1", api_key="key-of-a-test",
                       max_retries=0, timeout=30)
asked = {"model": "m", "max_tokens": 4}
chat = [{"role": "user", "content": "a b c"}]
print("models", ",".join(m.id for m in client.models.list()))

text, why, usage = "", None, None
for chunk in client.chat.completions.create(
        messages=chat, stream=True,
        stream_options={"include_usage": True}, **asked):
    usage = chunk.usage or usage
    for choice in chunk.choices:
        text += choice.delta.content or ""
        why = choice.finish_reason or why
print("chat", len(text.split()), why, usage.prompt_tokens,
      usage.completion_tokens)
whole = client.chat.completions.create(messages=chat, **asked)
print("chat whole", len(whole.choices[0].message.content.split()),
      whole.choices[0].finish_reason, whole.usage.prompt_tokens,
      whole.usage.completion_tokens)

text = ""
for chunk in client.completions.create(prompt="a b c", stream=True, **asked):
    for choice in chunk.choices:
        text += choice.text
        why = choice.finish_reason
print("completions", len(text.split()), why)

text, kinds, last = "", [], None
for event in client.responses.create(
        model="m", input="a b c", max_output_tokens=4, stream=True):
    if event.type == "response.output_text.delta":
        text += event.delta
    elif event.type not in kinds:
        kinds.append(event.type)
    last = event
print("responses", len(text.split()), last.response.status,
      last.response.incomplete_details.reason,
      last.response.usage.input_tokens, last.response.usage.output_tokens,
      last.response.output_text == text, len(kinds))
whole = client.responses.create(model="m", input="a b c", max_output_tokens=4)
print("responses whole", len(whole.output_text.split()), whole.status)

try:
    client.chat.completions.create(messages=[], model="m")
    print("no error")
except openai.BadRequestError as e:
    print("error", e.status_code)
END

cat >client.js <<'END'
const { OpenAI } = require("openai");
const client = new OpenAI({ baseURL: process.argv[2] + "/v1",
    apiKey: "key-of-a-test", maxRetries: 0, timeout: 30000 });
const asked = { model: "m", max_tokens: 4 };
const messages = [{ role: "user", content: "a b c" }];
const words = (s) => s.split(/\s+/).filter(Boolean).length;

async function main() {
	let text = "", why = null, usage = null;
	const ids = [];
	for await (const m of client.models.list())
		ids.push(m.id);
	console.log("models", ids.join(","));
	for await (const chunk of await client.chat.completions.create({
	    messages, stream: true, stream_options: { include_usage: true },
	    ...asked })) {
		usage = chunk.usage ?? usage;
		for (const choice of chunk.choices) {
			text += choice.delta.content ?? "";
			why = choice.finish_reason ?? why;
		}
	}
	console.log("chat", words(text), why, usage.prompt_tokens,
	    usage.completion_tokens);
	let whole = await client.chat.completions.create({ messages, ...asked });
	console.log("chat whole", words(whole.choices[0].message.content),
	    whole.choices[0].finish_reason, whole.usage.prompt_tokens,
	    whole.usage.completion_tokens);
	text = "";
	for await (const chunk of await client.completions.create({
	    prompt: "a b c", stream: true, ...asked }))
		for (const choice of chunk.choices) {
			text += choice.text;
			why = choice.finish_reason;
		}
	console.log("completions", words(text), why);
	text = "";
	let last = null;
	const kinds = new Set();
	for await (const event of await client.responses.create({ model: "m",
	    input: "a b c", max_output_tokens: 4, stream: true })) {
		if (event.type === "response.output_text.delta")
			text += event.delta;
		else
			kinds.add(event.type);
		last = event;
	}
	console.log("responses", words(text), last.response.status,
	    last.response.incomplete_details.reason,
	    last.response.usage.input_tokens,
	    last.response.usage.output_tokens,
	    last.response.output[0].content[0].text === text ? "True" : "False",
	    kinds.size);
	whole = await client.responses.create({ model: "m", input: "a b c",
	    max_output_tokens: 4 });
	console.log("responses whole", words(whole.output_text), whole.status);
	try {
		await client.chat.completions.create({ messages: [], model: "m" });
		console.log("no error");
	} catch (e) {
		console.log("error", e.status);
	}
}
main().catch((e) => { console.log("failed", e); process.exit(1); });
END

want='models llmtape
chat 4 length 3 4
chat whole 4 length 3 4
completions 4 length
responses 4 incomplete max_output_tokens 3 4 True 8
responses whole 4 incomplete
error 400'

serve log --ttft 5ms --itl 1ms
if "$PYTHON" -c 'import openai' 2>/dev/null; then
	is "$(timeout 120 "$PYTHON" client.py "$server_url" 2>&1)" "$want" \
	    "Python: openai $("$PYTHON" -c 'import openai
print(openai.__version__)')"
else
	skip 1 "no openai for $PYTHON" "Python"
fi
if node -e 'require("openai")' 2>/dev/null; then
	is "$(timeout 120 node client.js "$server_url" 2>&1)" "$want" \
	    "Node: openai $(node -p 'require("openai/version").VERSION')"
else
	skip 1 'no openai for node' 'Node'
fi
stop
done_testing
