#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# trace-serve, driven by curl: what stands on the wire, what curl makes of the
# faults, and whether the server's log has each request exactly once.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
# shellcheck source=tests/support/server.sh
. "$root/tests/support/server.sh"
pid=
scratch
cd "$tmp" || exit 1

# start OPTION ...: a server on a free port; sets url.
start()
{
	rm -f log
	server_start log "$@" || exit 1
	server_pids=
	pid=$server_pid
	url=$server_url
}

# stop: ends it; its exit code.
stop()
{
	[ -n "$pid" ] || return 0
	kill "$pid" 2>/dev/null
	wait "$pid"
	code=$?
	pid=
	return $code
}

# get OPTION ...: curl, never for long; its exit code is in $code.
get()
{
	curl -sS --noproxy '*' --max-time 20 "$@" 2>err
	code=$?
}

chat='{"messages":[{"role":"user","content":"one two three"}],"max_tokens":4'
stream="$chat,\"stream\":true"
usage="$stream,\"stream_options\":{\"include_usage\":true}}"
stream="$stream}"
v1=/v1/chat/completions

# events FILE: the data of each event, without what differs each time.
events()
{
	sed -n 's/^data: //p' "$1" |
	    sed 's/cmpl-[0-9a-f]*/cmpl-ID/; s/"created":[0-9]*/"created":0/;
		s/"content":" *[a-z][a-z]*"/"content":"WORD"/'
}

# field KEY: its values in a log, a line each; absent ones are empty.
field()
{
	sed "s/.*\"$1\":\"*\([^,\"}]*\).*/\1/; t
		s/.*//"
}

start --ttft 20ms --itl 2ms --seed 7
get -N -d "$usage" "$url$v1" >body
common='{"id":"chatcmpl-ID","object":"chat.completion.chunk","created":0,"model":"llmtape","choices":['
token="$common{\"index\":0,\"delta\":{\"content\":\"WORD\"},\"logprobs\":null,\"finish_reason\":null}]}"
is "$(events body)" \
    "$common{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,\"finish_reason\":null}]}
$token
$token
$token
$token
$common{\"index\":0,\"delta\":{},\"logprobs\":null,\"finish_reason\":\"length\"}]}
$common],\"usage\":{\"prompt_tokens\":3,\"total_tokens\":7,\"completion_tokens\":4,\"prompt_tokens_details\":{\"cached_tokens\":0}}}
[DONE]" 'a stream with usage'
is "$(tail -c 16 body | od -An -c | tr -s ' \n' ' ')" \
    ' \n \n d a t a : [ D O N E ] \n \n ' 'its last bytes'
get --raw -N -d "$stream" "$url$v1" >raw
# every event is a chunk of its own: a size, the event, CR LF
tr -d '\r' <raw | awk '
/^[0-9a-f]+$/ { sizes++; next }
/^data: / { events++ }
END { exit !(events == 7 && sizes == events + 1) }'
ok $? 'each event is a chunk of its own'
is "$(tail -c 5 raw | od -An -c | tr -s ' \n' ' ')" ' 0 \r \n \r \n ' \
    'and the last chunk is empty'
get -d "$chat}" "$url$v1" >whole
is "$(sed 's/cmpl-[0-9a-f]*/cmpl-ID/; s/"created":[0-9]*/"created":0/;
	s/"content":"[a-z]* [a-z]* [a-z]* [a-z]*"/"content":"WORDS"/' whole)" \
    '{"id":"chatcmpl-ID","object":"chat.completion","created":0,"model":"llmtape","choices":[{"index":0,"message":{"role":"assistant","content":"WORDS"},"logprobs":null,"finish_reason":"length"}],"usage":{"prompt_tokens":3,"total_tokens":7,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":0}}}' \
    'an answer that is not streamed'
get -H 'Content-Type: application/json' -d \
    '{"model":"a/b","prompt":"x y","max_tokens":2}' "$url/v1/completions" >whole
case $(cat whole) in
*'"object":"text_completion"'*'"model":"a/b"'*'"text":"'*'"prompt_tokens":2'*)
	ok 0 'a completion' ;;
*)	ok 1 'a completion' ;;
esac
is "$(get "$url/health")" '{"status":"ok"}' 'health'
is "$(get "$url/health/ready")" '{"status":"ok"}' 'ready'
is "$(get "$url/v1/models" | sed 's/"created":[0-9]*/"created":0/')" \
    '{"object":"list","data":[{"id":"llmtape","object":"model","created":0,"owned_by":"llmtape"}]}' \
    'models'
is "$(get -o body -w '%{http_code}' -d '{' "$url$v1")" 400 'no JSON: 400'
case $(cat body) in
'{"error":{"message":"'*'","type":"invalid_request_error","param":null,"code":null}}')
	ok 0 'an error object' ;;
*)	ok 1 'an error object' ;;
esac
is "$(get -o body -w '%{http_code}' "$url/v1/nothing")" 404 'no such path: 404'
is "$(get -o body -w '%{http_code}' "$url$v1")" 405 'GET of a chat: 405'
# a prompt of 100,000 words, sent with Expect: 100-continue
awk 'BEGIN { printf "{\"prompt\":\""
	for (i = 0; i < 100000; i++) printf "word%d ", i % 97
	print "\",\"max_tokens\":1}" }' >large
get -d @large "$url/v1/completions" >whole
case $(cat whole) in
*'"prompt_tokens":100000,'*) ok 0 'a prompt of 100,000 words' ;;
*)	ok 1 'a prompt of 100,000 words' ;;
esac
get -H 'Transfer-Encoding: chunked' -d @large "$url/v1/completions" >whole
case $(cat whole) in
*'"prompt_tokens":100000,'*) ok 0 'the same in chunks' ;;
*)	ok 1 'the same in chunks' ;;
esac
get -H 'x-request-id: q-17' -d "$stream" "$url$v1" "$url$v1" >/dev/null
stop
ok $? 'SIGTERM ends it with 0'
# a client may have its answer before the line is in the log: look at the end
is "$(grep -c '"id":"q-17"' log)" 2 'the id of a request is in the log'
is "$(grep '"id":"q-17"' log | field conn | sort -u | wc -l)" 1 \
    'two requests on one connection'
is "$(field n <log | sort -n | uniq | wc -l)" "$(wc -l <log)" \
    'each request has its own number'
is "$(field n <log | tail -n 1)" "$(wc -l <log)" 'and one line'

# who draws what does not depend on the order of arrival
for order in '1 2 3' '3 1 2'; do
	start --ttft 10ms,3ms --itl 1ms,0.3ms --seed 3
	for i in $order; do
		get -N -H "x-request-id: $i" -d \
		    "{\"prompt\":\"say $i\",\"max_tokens\":5,\"stream\":true}" \
		    "$url/v1/completions" | sed -n 's/.*"text":"\([^"]*\).*/\1/p' \
		    >"words.$i"
	done
	stop
	# planned times only: the sent ones differ from run to run
	sed 's/.*"id":"\([0-9]*\)".*"t_in_ns":\([0-9]*\).*"due_first_ns":\([0-9]*\).*"due_last_ns":\([0-9]*\).*/\1 \2 \3 \4/' log |
	    awk '{ printf "%s %.0f %.0f\n", $1, $3 - $2, $4 - $2 }' | sort >plan
	cat words.1 words.2 words.3 >>plan
	mv plan "plan.${order%% *}"
done
cmp plan.1 plan.3 && [ "$(wc -l <plan.1)" -gt 15 ]
ok $? 'draws depend on the request, not on the order of arrival'

# together NAME I ...: long answers at a time, into NAME.I ...
together()
{
	name=$1
	shift
	others=
	for i; do
		get -N -d "$long" "$url$v1" >"$name.$i" &
		others="$others $!"
	done
	# shellcheck disable=SC2086
	wait $others
}

# words FILE: how many its events have, put together
words()
{
	sed -n 's/^data: .*"content":"\([^"]*\)".*/\1/p' "$1" | tr -d '\n' |
	    sed 's/\\n/ /g' | wc -w | tr -d ' '
}
long='{"messages":[{"role":"user","content":"go"}],"max_tokens":60'
long="$long,\"stream\":true,\"stream_options\":{\"include_usage\":true}}"
# however events lie on the wire, the words are there and counted
while read -r options; do
	# shellcheck disable=SC2086
	start --ttft 10ms --itl 1ms,0.2ms --stamp $options
	together wire 1 2 3 4
	stop
	is "$(for i in 1 2 3 4; do words wire.$i; done | tr '\n' ' ')" \
	    '60 60 60 60 ' "$options: all words"
	is "$(cat wire.? | grep -c '"completion_tokens":60,')" 4 \
	    "$options: usage counts them"
	is "$(cat wire.? | grep -c '\[DONE\]')" 4 "$options: to the end"
	is "$(field output_tokens <log | tr '\n' ' ')" '60 60 60 60 ' \
	    "$options: and so does the log"
done <<'TABLE'
--cadence batch
--cadence batch --slots 2 --tokens-per-event 1-4
--tokens-per-event 7 --text prose
--merge 5 --spin auto
--split 4,200us --text prose
--split 2,3ms --cadence batch
TABLE

# streams of a batch have their steps at the same times
start --ttft 10ms --itl 4ms --stamp --cadence batch
together step 1 2 3
stop
# when an event was due: sent less late, to the microsecond
for i in 1 2 3; do
	sed -n 's/.*"content":"[^"].*"t":"\([0-9.]*\)","late_ns":\([0-9]*\).*/\1 \2/p' \
	    step.$i
done | awk '{ split($1, t, "."); printf "%d.%06d\n", t[1] % 1000,
	    (t[2] - $2 + 1e9) % 1e9 / 1000 }' | sort | uniq -c |
    awk '{ n[$1]++ } END { exit !(n[3] > 30) }'
ok $? 'three streams of a batch tick together'

# 60 requests at a time in 8 slots
start --ttft 5ms --itl 1ms --slots 8
seq 1 60 | xargs -P 20 -I '{}' curl -sS -o /dev/null --noproxy '*' \
    --max-time 20 -H 'x-request-id: r{}' -d "$stream" "$url$v1"
stop
is "$(field outcome <log | sort | uniq -c | tr -s ' ')" ' 60 complete' \
    '60 requests at a time are answered'
is "$(field id <log | sort | uniq -d)" '' 'each once'

# what curl makes of each fault: exit code and HTTP status
while read -r fault exit_code status name; do
	start --ttft 5ms --itl 1ms --fault "$fault" --stall-for 200ms
	got=$(get -N -o body -w '%{http_code}' -d "$stream" "$url$v1"
	    echo " $code")
	stop
	is "$got" "$status $exit_code" "$fault: status and curl's exit code"
	is "$(field outcome <log)" "$name" "$fault: in the log"
done <<'TABLE'
429:1 0 429 429
500:1 0 500 500
503:1 0 503 503
close:1 52 000 close
reset:1:2 56 200 reset
truncate:1:2 18 200 truncate
stall:1:2 18 200 stall
bad-chunk:1:2 56 200 bad-chunk
malformed:1:2 0 200 malformed
error-event:1:2 0 200 error-event
stale:1 0 200 stale
TABLE
start --ttft 5ms --itl 1ms --fault stale:1
get -N -d "$stream" "$url$v1" -o body "$url$v1" -o body
stop
is "$(field conn <log | tr '\n' ' ')" '1 2 ' 'stale: the second needs a new one'
start --ttft 5ms --itl 1ms --fault 500:1/3
for i in 1 2 3 4 5 6; do get -o body -w '%{http_code} ' -d "$stream" "$url$v1"
done >codes
is "$(cat codes)" '200 200 500 200 200 500 ' 'every third one fails'
stop

printf 'sk-hidden-4711\n' >keyfile
start --api-key-file keyfile
is "$(get -o body -w '%{http_code}' -d "$stream" "$url$v1")" 401 'no key: 401'
is "$(get -o body -w '%{http_code}' -H 'Authorization: Bearer sk-hidden-4711' \
    -d "$stream" "$url$v1")" 200 'the key: 200'
is "$(get -o body -w '%{http_code}' "$url/health")" 200 'health needs none'
stop
grep -q 4711 log
is $? 1 'the key is not in the log'

start --slots 1 --queue 0 --ttft 1s
get -N -D head -o first -d "$stream" "$url$v1" &
other=$!
wait_until test -s head
status=$(get -o body -w '%{http_code}' -d "$stream" "$url$v1")
is "$status" 429 'a full queue: 429'
wait $other
grep -q '\[DONE\]' first
ok $? 'who has the slot is answered'
stop

# the answer in hand is finished before the end
start --ttft 1s
rm -f head
get -N -D head -o body -d "$stream" "$url$v1" &
other=$!
wait_until test -s head
kill -INT "$pid" 2>/dev/null
kill "$pid"
wait "$pid"
is $? 0 'a signal ends it with 0'
pid=
wait $other
grep -q '\[DONE\]' body
ok $? 'and the answer in hand is finished'

done_testing
