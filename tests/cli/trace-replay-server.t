#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# trace-replay and what a server is known to take: its own description is read
# before the run, sampling that is left to it is warned of, and a recorded body
# is sent with fields replaced.
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
# replay is quiet; here it is its warnings that count.
loud()
{
	name=$1
	shift
	timeout 120 trace-replay -z 0 --no-host --url "$at" --warmup 0 "$@" \
	    >"$name.tape" 2>"$name.err"
	code=$?
}
# says FILE TEXT NAME; silent FILE TEXT NAME
says()
{
	grep -qF -e "$2" "$1"
	ok $? "$3"
}
silent()
{
	! grep -qF -e "$2" "$1"
	ok $? "$3"
}
trace-gen -q --isl 5 --osl 3 --count 3 --no-host -o t

cat >schema.json <<'END'
{"openapi":"3.1.0","paths":{"/v1/chat/completions":{"post":{"requestBody":
{"content":{"application/json":{"schema":
{"$ref":"#/components/schemas/ChatCompletionRequest"}}}}}}},
"components":{"schemas":{"ChatCompletionRequest":{"type":"object",
"properties":{"messages":{},"model":{},"stream":{},"max_tokens":{},
"temperature":{}}}}}}
END
cat >script <<'END'
{"path":"/openapi.json","headers":{"content-type":"application/json"},"play":[{"file":"schema.json"}]}
END
pace='--ttft 1ms --itl 1ms'
serve own --script script
loud own --server any --extra '{"temperature":0,"topk":3,"seed":1}'  t
is "$code" 0 'a server that describes itself is played against'
is "$(grep -c 'openapi.json has no field' own.err)" 3 \
    'three fields are not in its description'
says own.err 'no field topk (from --extra)' 'one of them by name'
says own.err 'no field stream_options (from the dialect)' \
    'also one that nobody asked for'
silent own.err 'temperature' 'and none that is'
loud allowed --server any --allow-field topk --allow-field stream_options \
    --extra '{"temperature":0,"topk":3}' t
silent allowed.err 'openapi' 'a field that is allowed is not told of'
loud unasked --extra '{"temperature":0,"topk":3}' t
silent unasked.err 'openapi' 'nor any without --server'
stop

# Documents that are none, and none at all.
cat >script <<'END'
{"path":"/openapi.json","play":[{"text":"<html>","endless":true}]}
END
serve endless --script script
loud endless --server vllm --extra '{"top_k":1}' t
is "$code" 0 'a description without end does not hold up the run'
stop
serve none
loud none --server vllm t
is "$code" 0 'nor does one that is not there'
says none.err \
    '3 of 3 requests have neither temperature, top_k nor seed' \
    'sampling that is left to the server is warned of'
is "$(grep -c 'neither temperature' none.err)" 1 'once'
loud pinned --server vllm --extra '{"seed":7}' t
silent pinned.err 'neither' 'and not where it is said'
loud unsaid t
silent unsaid.err 'neither' 'nor where no server is named'

# A body as it was recorded, and changed.
{
	trace-gen -q --isl 5 --osl 3 --count 1 --no-host -z 0 | head -n 1
	cat <<'END'
{"kind":"request","id":"v","input":{"path":"/v1/chat/completions","body":"{ \"model\":\"old\", \"messages\":[{\"role\":\"user\",\"content\":\"a b\"}], \"max_tokens\":2, \"stream\":true }"}}
{"kind":"end","records":1,"status":"complete"}
END
} >recorded
sent()
{
	each "$1.tape" 'print $r->{req}{body} if $r->{kind} eq "exchange"'
}
loud as-is --keep-requests recorded
is "$(sent as-is)" '{ "model":"old", "messages":[{"role":"user","content":"a b"}], "max_tokens":2, "stream":true }' \
    'a recorded body goes as it is'
loud changed --keep-requests --model new --extra '{"max_tokens":4,"seed":1}' \
    --drop-field stream recorded
is "$(sent changed)" '{ "model":"new", "messages":[{"role":"user","content":"a b"}], "max_tokens":4,"seed":1 }' \
    'or with the model, fields and without those that are said'
is "$code" 0 'and is answered'
stop
done_testing
