#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every request is accounted for exactly once: many requests, of which 30 % fail
# in each way there is, against trace-serve; then the tape, the counts of
# trace-replay and of metrics-reduce, and the server's log are held against each
# other (tests/support/account.pl).
#
# ACCOUNT_N is how many requests, 3000 if not set; by hand:
#
#	make && ACCOUNT_N=100000 sh tests/cli/trace-replay-account.t
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
: "${ACCOUNT_N:=3000}"

# shellcheck disable=SC2034
pace='--ttft 500us --itl 0 --stall-for 1h'

# The statuses, ends and texts that fail: 30 % together.
faults='--fault 429:4% --fault 500:3% --fault 503:3% --fault close:4%
    --fault reset:4% --fault stall:1% --fault truncate:4% --fault bad-chunk:3%
    --fault error-event:4% --fault stale:2%'

# Answers that are wrong in themselves, each with what has to become of it, or
# that only look so.
sse='"headers":{"content-type":"text/event-stream","x-account"'
json='"framing":"length","headers":{"content-type":"application/json","x-account"'
html='"framing":"length","headers":{"content-type":"text/html","x-account"'
token='data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n'
finish='data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n'
end='data: [DONE]\n\n'
error='{\"error\":{\"message\":\"boom\"}}'
page='<html><title>Bad Gateway</title></html>'
every=200
while IFS='|' read -r head class tail; do
	printf '{"every":%s,%s:"%s"},"play":[%s]}\n' $every "$head" "$class" \
	    "$tail"
	every=$((every + 1))
done >account.script <<END
"status":400,$json|http refused-field|{"text":"$error"}
"status":413,$json|http too-long|{"text":"$error"}
"status":401,$json|http denied|{"text":"$error"}
"status":404,$json|http not-found|{"text":"$error"}
"status":502,$html|http proxy-page|{"text":"$page"}
$html|content-type proxy-page|{"text":"$page"}
"headers":{"content-type":"text/csv","x-account"|content-type foreign|{"text":"a,b\n"}
"headers":{"content-type":"text/event-stream","content-encoding":"br","x-account"|content-type encoding|{"text":"$token"}
"headers":{"content-type":"text/event-stream","content-encoding":"gzip","x-account"|malformed encoding|{"text":"$token"}
$json|stream in-body|{"text":"$error"}
$sse|stream at-start|{"text":"event: error\ndata: {\"message\":\"boom\"}\n\n"}
$sse|stream mid-answer|{"text":"${token}error: {\"message\":\"boom\"}\n\n"}
$sse|stream finish-error|{"text":"${token}data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"error\"}]}\n\n"}
$sse|unfinished cut|{"text":"$token"}
$sse|unfinished empty|{"text":"$finish$end"}
$sse|malformed json|{"text":"data: {\"choices\":[{\"ind\n\n"}
$sse|malformed spliced|{"text":"data: {\"choices\":[{\"index\":0,\"delta\":{\"contdata: {\"choices\":[]}\n\n"}
$sse|none|{"text":"$token$finish"}
$sse|none|{"text":"${token}data: {\"choi\n\n$token$finish$end"}
END

# Every tenth request begins a session, whose second turn waits for the first.
# One line an input: the trace stays small.
trace-gen -q --isl 6 --osl 4 --count "$ACCOUNT_N" --no-host -z 0 |
    perl -pe 'next unless /"kind":"request","id":"(\d+)"/; my $n = $1 - 1;
	my $s = int($n / 10);
	s/,"input":/,"session":"s$s","input":/ if $n % 10 == 0;
	s/,"input":/,"session":"s$s","after":["@{[$n]}"],"input":/
	    if $n % 10 == 1' >sessions.trace || exit 1

# play NAME OPTION ...: against a server of its own, and the account.
play()
{
	name=$1
	shift
	# shellcheck disable=SC2086
	serve "$name" $faults --script account.script
	play_at "$name" --url "$at" "$@"
}

# play_at NAME OPTION ...: the same with the server, if any, that runs.
play_at()
{
	name=$1
	shift
	began=$(date +%s.%N)
	# shellcheck disable=SC2094
	timeout -k 5 600 trace-replay -q -z 0 --no-host \
	    --request-id-header X-Request-ID --abort-after 0 \
	    --max-failed 100% --idle-timeout 300ms "$@" sessions.trace \
	    >"$name.tape" 2>"$name.err"
	code=$?
	took=$(echo "$(date +%s.%N) $began" | awk '{ print $1 - $2 }')
	stop
	sse-timestamp -z 0 "$name.tape" 2>"$name.err2" |
	    metrics-reduce --format stream -z 0 2>>"$name.err2" >"$name.metrics"
	"$root/tests/support/account.pl" "$name.tape" "$name.log" \
	    "$name.metrics" >"$name.account"
	sum=$?
	sed 's/^/# /' "$name.account" | head -n 30
	echo "# $name: $took s"
}

# classes NAME WHOSE CLASS ...: whether each of them is there.
classes()
{
	file=$1.account
	whose=$2
	shift 2
	for class in "$@"; do
		grep "^$whose: " "$file" | grep -Eq "[0-9] $class(,|\$)" || {
			echo "# no $class"
			return 1
		}
	done
}

play plain --concurrency 64 --cancel-rate 2% --cancel-after 400us
is "$code" 0 'it is played to the end'
ok "$sum" 'each request is accounted for, once'
classes plain client 'http status' 'reset rst' 'reset closed' 'timeout idle' \
    'truncated malformed' 'truncated chunked' 'cancelled planned' \
    'reset stale-connection' 'client predecessor'
ok $? 'with failures of all kinds'
sed -n 's/.*"x-account":"\([^"]*\)".*/\1/p' account.script >wanted
sort -u wanted >classes
# shellcheck disable=SC2046
(IFS='
'; classes plain results $(cat classes))
ok $? 'and answers that are wrong in each way'
awk -v n="$ACCOUNT_N" '/^run 1: / { share = $5 / n }
    END { exit share < 0.25 || share > 0.4 }' plain.account
ok $? 'some 30 % of them'

# The account notices what is missing, and what is there twice.
grep -n '"kind":"exchange"' plain.tape | sed -n '100{s/:.*//;p;q}' >line
for how in "$(cat line)d" "$(cat line)p" 's/unfinished cut/unfinished empty/'
do
	sed "$how" plain.tape >other.tape
	! "$root/tests/support/account.pl" other.tape plain.log plain.metrics \
	    >other.account && grep -q '^wrong: ' other.account
	ok $? "a tape that sed changed is none: ${how#[0-9]*[0-9]}"
done

play again --concurrency 64 --threads 2 --retry 2 --retry-delay 1ms \
    --retry-delay-max 5ms --retry-on connect,reset,http,timeout,truncated
is "$code" 0 'with retries'
ok "$sum" 'each request is accounted for, once'

play libcurl --libcurl --concurrency 16 --requests $((ACCOUNT_N / 10)) \
    --cancel-rate 2% --cancel-after 400us --retry 1 --retry-delay 1ms
is "$code" 0 'through libcurl'
ok "$sum" 'each request is accounted for, once'

# Ways to fail in which no server sees anything.
server_free
for url in "http://127.0.0.1:$server_port" http://nowhere.invalid \
    "https://$at"; do
	[ "$url" = "https://$at" ] && serve early && url=https://$at
	: >early.log
	play_at early --url "$url" --model m --requests 4 --retry 1 \
	    --retry-delay 1ms --retry-on connect,dns,tls
	is "$code" 4 "nobody answers at ${url%%:*}"
	ok "$sum" 'each request is accounted for, once'
done

# Nor where it resets the connection while a request of 20 MB goes out, on new
# connections only.
perl -e 'print "{\"text\":\"", "word " x 4e6, "\"}\n"' |
    trace-gen -q --from prompts - >large.trace
"$root/tests/support/hangup.pl" hangup.port 300000 5 &
pids="$pids $!"
wait_until test -s hangup.port
trace-replay -q -z 0 --url "http://127.0.0.1:$(cat hangup.port)" --model m \
    --warmup 0 --requests 1 --retry 1 --retry-delay 1ms --retry-on send \
    --max-failed 100% large.trace 2>large.err |
    grep -o '"error":{"class":"[a-z]*","cause":"[a-z]*"' >large.errors
is "$(sort large.errors | uniq -c | sed 's/^ *//')" \
    '2 "error":{"class":"send","cause":"rst"' \
    'a request that cannot be sent, and its retry'

done_testing
