#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Dialects whose answers are one body, and the one whose events are binary, from
# end to end: trace-serve plays by a script an answer that is right, one that is
# none, and an error inside a 200; trace-replay asks, sse-timestamp reads.
#
# Perl programs stand in single quotes:
# shellcheck disable=SC2016
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
# shellcheck source=tests/support/server.sh
. "$root/tests/support/server.sh"
# shellcheck source=tests/support/replay.sh
. "$root/tests/support/replay.sh"
scratch
cd "$tmp" || exit 1

# A dialect a line: its name | path | what it needs besides the text | the answer
# | what is in the answer: bytes of text, input and output tokens.
cat >apis <<'END'
embeddings|/v1/embeddings|{}|{"data":[{"embedding":[0.5,1]}],"usage":{"prompt_tokens":4,"total_tokens":4}}|- 4 -
chat_embeddings|/v1/embeddings|{}|{"data":[{"embedding":[0.5,1]}],"usage":{"prompt_tokens":4,"total_tokens":4}}|- 4 -
nim_embeddings|/v1/embeddings|{}|{"data":[{"embedding":"AAAAPw=="}],"usage":{"prompt_tokens":4,"total_tokens":4}}|- 4 -
nim_rankings|/v1/ranking|{"passages":["a","b"]}|{"rankings":[{"index":1,"logit":0.5},{"index":0,"logit":-2}],"usage":{"prompt_tokens":9,"total_tokens":9}}|- 9 -
cohere_rankings|/v2/rerank|{"passages":["a","b"]}|{"results":[{"index":1,"relevance_score":0.5}],"meta":{"billed_units":{"search_units":1}}}|- - -
hf_tei_rankings|/rerank|{"passages":["a","b"]}|[{"index":1,"score":0.9},{"index":0,"score":0.1}]|- - -
kserve_infer|/v2/models/m/infer|{}|{"model_name":"m","outputs":[{"name":"text_output","datatype":"BYTES","shape":[1],"data":["Hello"]}]}|5 - -
image_generation|/v1/images/generations|{}|{"created":1,"data":[{"b64_json":"iVBORw0KGgo="}],"usage":{"input_tokens":4,"output_tokens":100,"total_tokens":104}}|- 4 100
solido_rag|/rag/api/prompt|{}|{"content":"An answer.","sources":["a.pdf"]}|10 - -
END
trace-gen -q --isl 4 --osl 4 --count 3 --no-host -o run.trace

quoted()
{
	printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g'
}

# The first is right, the second none, the third an error.
json='"headers":{"content-type":"application/json"},"framing":"length"'
while IFS='|' read -r api path _ body _; do
	nth=1
	for text in "$body" '{"some":"thing else"}' '{"error":{"message":"boom"}}'
	do
		printf '{"path":"%s","nth":%d,%s,"play":[{"text":"%s"}]}\n' \
		    "$path" $nth "$json" "$(quoted "$text")"
		nth=$((nth + 1))
	done >"$api.script"
done <apis

# responses: of each response in order: its bytes of text, its tokens, its error.
responses()
{
	sse-timestamp -q -z 0 "$1.tape" >"$1.events"
	each "$1.events" 'return unless $r->{kind} eq "response";
	    my $e = $r->{error}; my $t = $r->{tokens} // {}; my $n = 0;
	    $n += $_ for @{$r->{events}{text_bytes} // []};
	    $h{$r->{id}} = join " ", $n || "-", $t->{input} // "-",
	    $t->{output} // "-", $e ? "$e->{class}/$e->{cause}" : "fine";
	    END { print "$h{$_}\n" for sort { $a <=> $b } keys %h }'
}

while IFS='|' read -r api path extra _ want; do
	serve log --script "$api.script"
	replay_at "$api" --api "$api" --model m --warmup 0 --concurrency 1 \
	    --max-failed 100% --extra "$extra" run.trace
	is $code 0 "$api: a run"
	is "$(sed -n 's/.*"path":"\([^"]*\)".*/\1/p' log.log | sort | uniq -c |
	    sed 's/^ *//' | grep -v /health | grep -v /v1/models)" "3 $path" \
	    'at its own path'
	is "$(responses "$api" | sed -n 1p)" "$want fine" 'is right'
	is "$(responses "$api" | sed -n 2p)" '- - - malformed/json' 'is none'
	is "$(responses "$api" | sed -n 3p)" '- - - stream/in-body' \
	    'is an error'
	metrics-reduce -q --format stream -z 0 "$api.events" >"$api.metrics"
	is "$(each "$api.metrics" 'print defined $r->{latency_ns} ? "latency" :
	    "none", defined $r->{ttft_ns} ? " ttft" : "", "\n"
	    if $r->{kind} eq "result" && $r->{ok}')" latency \
	    'and there is a latency'
	stop
done <apis

# Binary messages, whole and with one that is damaged: bodies as recorded, as
# none are made.
recorded=$root/tests/fixtures/sse/bedrock-converse-nova.eventstream
perl -pe 'BEGIN { $/ = undef } substr($_, length($_) - 20, 1) ^= "\x01"' \
    "$recorded" >damaged.bin
cat >bedrock.script <<END
{"path":"/model/m/converse-stream","nth":1,"headers":{"content-type":"application/vnd.amazon.eventstream"},"play":[{"file":"$recorded","each":100}]}
{"path":"/model/m/converse-stream","nth":2,"headers":{"content-type":"application/vnd.amazon.eventstream"},"play":[{"file":"damaged.bin","each":7}]}
{"path":"/model/m/converse-stream","nth":3,"status":400,"headers":{"content-type":"application/json"},"play":[{"text":"{\\"message\\":\\"The provided model identifier is invalid.\\"}"}]}
END
{
	echo '{"kind":"header","format":"llmtape.trace","version":"1.0","epoch":"2026-01-01T00:00:00.000000000Z","epoch_mono":"0.000000000","run_id":"r","prov":[]}'
	for id in 1 2 3; do
		echo '{"kind":"request","id":"'$id'","input":{"path":"/model/m/converse-stream","body":"{\"messages\":[]}"}}'
	done
	echo '{"kind":"end","records":3,"status":"complete"}'
} >bedrock.trace
serve log --script bedrock.script
replay_at bedrock --api bedrock --warmup 0 --concurrency 1 --max-failed 100% \
    bedrock.trace
is $code 0 'bedrock: a run'
responses bedrock >got
is "$(sed -n 1p got | sed 's/.* //')" fine 'is right'
is "$(sed -n 2p got | sed 's/.* //')" malformed/framing 'is damaged'
is "$(sed -n 3p got)" '- - - http/refused-field' 'is refused'
grep -q '"message":"The provided model identifier is invalid."' bedrock.events
ok $? 'and why is said'
stop
done_testing
