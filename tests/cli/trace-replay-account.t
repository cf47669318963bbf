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
	serve "$name" $faults
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

# classes NAME CLASS ...: whether each of them is there.
classes()
{
	file=$1.account
	shift
	for class in "$@"; do
		grep '^client: ' "$file" | grep -Eq "[0-9] $class(,|\$)" || {
			echo "# no $class"
			return 1
		}
	done
}

play plain --concurrency 64 --cancel-rate 2% --cancel-after 400us
is "$code" 0 'it is played to the end'
ok "$sum" 'each request is accounted for, once'
classes plain 'http status' 'reset rst' 'reset closed' 'timeout idle' \
    'truncated malformed' 'truncated chunked' 'cancelled planned' \
    'reset stale-connection' 'client predecessor'
ok $? 'with failures of all kinds'
awk -v n="$ACCOUNT_N" '/^run 1: / { share = $5 / n }
    END { exit share < 0.25 || share > 0.4 }' plain.account
ok $? 'some 30 % of them'

# The account notices what is missing, and what is there twice.
grep -n '"kind":"exchange"' plain.tape | sed -n '100{s/:.*//;p;q}' >line
for how in d p; do
	sed "$(cat line)$how" plain.tape >other.tape
	! "$root/tests/support/account.pl" other.tape plain.log plain.metrics \
	    >other.account && grep -q '^wrong: ' other.account
	ok $? "a tape that sed changed by $how is none"
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
