#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every fault of a server, end to end: trace-serve plays it by a script,
# trace-replay keeps what came, sse-timestamp says the class, metrics-reduce
# counts it.  Hostile servers, too: what has no end is ended, in bounded memory.
#
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

# What most faults are made of.
sse='"headers":{"content-type":"text/event-stream"}'
json='"headers":{"content-type":"application/json"},"framing":"length"'
token='data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n'
finish='data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n'
end='data: [DONE]\n\n'
ok='HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n'

# 8 MiB of empty lines in 8 KiB.
bomb=$(head -c 8388608 /dev/zero | tr '\0' '\n' | gzip -9 -n | base64 -w 0)

# A fault a line: its name; class and cause as llmtape-stream(5) has them, none
# and - where there is nothing to say; members of the rule.
cat >faults <<END
429|http queue-full|"status":429,"headers":{"retry-after":"3","content-type":"application/json"},"framing":"length","play":[{"text":"{\"error\":{\"message\":\"slow down\",\"type\":\"rate_limit_error\"}}"}]
500|http server-error|"status":500,$json,"play":[{"text":"{\"error\":{\"message\":\"CUDA error\"}}"}]
503, no JSON|http engine-failed|"status":503,"framing":"length","play":[{"text":"engine is dead"}]
refused field|http refused-field|"status":400,$json,"play":[{"text":"{\"error\":{\"message\":\"Unrecognized request argument: ignore_eos\"}}"}]
close before an answer|reset stale-connection|"framing":"raw","play":[{"close":true}]
reset before an answer|reset rst|"play":[{"reset":true}]
reset in mid-stream|reset rst|$sse,"play":[{"text":"$token"},{"wait":"5ms"},{"reset":true}]
close in mid-stream|truncated chunked|$sse,"play":[{"text":"$token"},{"close":true}]
less than announced|truncated content-length|$sse,"length":500,"play":[{"text":"$token"}]
end before the finish|unfinished cut|$sse,"play":[{"text":"$token"}]
HTML page|content-type proxy-page|"status":200,"headers":{"content-type":"text/html"},"framing":"length","play":[{"text":"<html><body><h1>502 Bad Gateway</h1></body></html>"}]
error object for a stream|stream in-body|$json,"play":[{"text":"{\"error\":{\"message\":\"boom\"}}"}]
error as data|stream mid-answer|$sse,"play":[{"text":"${token}data: {\"error\":{\"message\":\"boom\",\"code\":500}}\n\n$end"}]
error event|stream mid-answer|$sse,"play":[{"text":"${token}event: error\ndata: {\"message\":\"boom\"}\n\n"}]
error line|stream mid-answer|$sse,"play":[{"text":"${token}error: {\"code\":500,\"message\":\"boom\"}\n\n"}]
error in the last choice|stream mid-answer|$sse,"play":[{"text":"${token}data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\",\"error\":{\"code\":502,\"message\":\"boom\"}}]}\n\n$end"}]
finish without an end mark|none -|$sse,"play":[{"text":"$token$finish"}]
one malformed event|none -|$sse,"play":[{"text":"${token}data: {\"choices\":[{\"ind\n\n$token$finish$end"}]
spliced frames|malformed spliced|$sse,"play":[{"text":"data: {\"choices\":[{\"index\":0,\"delta\":{\"contdata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"}]
HTML page with status 502|http proxy-page|"status":502,"headers":{"content-type":"text/html"},"framing":"length","play":[{"text":"<html><body><h1>502 Bad Gateway</h1></body></html>"}]
stall in mid-stream|timeout idle|$sse,"play":[{"text":"$token"},{"stall":"20s"}]
stall behind the head|timeout first-byte|$sse,"play":[{"stall":"20s"}]
stall before the head|timeout first-byte|"framing":"raw","play":[{"stall":"20s"}]
no HTTP|truncated malformed|"framing":"raw","play":[{"text":"SSH-2.0-OpenSSH_9.2p1\r\n"}]
head without end|truncated header-limit|"framing":"raw","play":[{"text":"HTTP/1.1 200 OK\r\n"},{"text":"x-h: 1\r\n","endless":true}]
header line without end|truncated header-limit|"framing":"raw","play":[{"text":"HTTP/1.1 200 OK\r\nx-h: "},{"text":"1","endless":true}]
chunk size without end|truncated malformed|"framing":"raw","play":[{"text":"${ok}transfer-encoding: chunked\r\n\r\n"},{"text":"1","endless":true}]
event line of 32 MB|malformed limit|$sse,"play":[{"text":"data: "},{"text":"0123456789abcdef","repeat":2000000}]
comments of 8 MB, then an answer|none -|$sse,"play":[{"text":": OPENROUTER PROCESSING\n\n","repeat":320000},{"text":"$token$finish$end"}]
compression bomb|malformed limit|"headers":{"content-type":"text/event-stream","content-encoding":"gzip"},"play":[{"base64":"$bomb","repeat":40}]
an answer byte for byte|none -|"framing":"raw","play":[{"text":"${ok}connection: close\r\n\r\n$token$finish$end","each":1}]
an answer in chunks of a byte|none -|$sse,"play":[{"text":"$token$finish$end","each":1}]
END
faults=$(wc -l <faults)
awk -F'|' '{ printf "{\"path\":\"/v1/chat/completions\",\"nth\":%d,%s}\n",
    NR, $3 }' faults >faults.script
trace-gen -q --isl 10 --osl 4 --count "$faults" --no-host -o faults.trace

# All in memory that what has no end would soon exceed.  The sanitizers need
# much more of it.
bounded()
{
	(
		# shellcheck disable=SC3045
		[ "${B##*/}" = release ] && ulimit -v 500000
		exec "$@"
	)
}

# Each as class and cause, in the order of the script.
play()
{
	rm -f log
	server_start log --script faults.script || exit 1
	bounded timeout 300 trace-replay -q -z 0 --no-host --url "$server_url" \
	    --warmup 0 --abort-after 0 --first-byte-timeout 2s \
	    --idle-timeout 2s --max-failed 100% "$@" faults.trace \
	    >run.tape 2>run.err
	code=$?
	server_stop
}

# causes: a line for each response, "CLASS CAUSE".
causes()
{
	bounded sse-timestamp -q -z 0 run.tape >run.events
	each run.events 'push @{$h{r}}, $r if $r->{kind} eq "response";
	    END { for (sort { $a->{id} <=> $b->{id} } @{$h{r}}) {
	    my $e = $_->{error};
	    print $e ? $e->{class} . " " . ($e->{cause} // "-") : "none -",
	    "\n" } }'
}

for way in '' --libcurl; do
	# shellcheck disable=SC2086
	play $way
	is $code 0 "all faults in one run${way:+, $way}"
	causes >got
	is "$(wc -l <got)" "$faults" 'every request is accounted for once'
	i=0
	while IFS='|' read -r name want _; do
		i=$((i + 1))
		got=$(sed -n "${i}p" got)
		# libcurl has its own names for broken framing
		[ -n "$way" ] && got=${got%% *} want=${want%% *}
		is "$got" "$want" "$name"
	done <faults
done
is "$(grep -c '"outcome":"client-closed"' log)" 6 \
    'the server saw stalls and what has no end given up'
metrics-reduce -q --format stream -z 0 run.events >run.metrics
is "$(each run.metrics 'our $f; $f++ if $r->{kind} eq "result" && $r->{error};
    END { print $f + 0 }')" "$(grep -vc '^none' got)" \
    'each failure is one of metrics-reduce, too'
done_testing
