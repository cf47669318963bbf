#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# trace-replay --preflight: this client against a mock, event by event.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
scratch
cd "$tmp" || exit 1
mkdir spool
TMPDIR=$tmp/spool
export TMPDIR

# preflight OPTION ...: its table in out, what it says in err, code in $code.
preflight()
{
	trace-replay -q --preflight "$@" >out 2>err
	code=$?
}

# n NAME: how many values a row of the table has.
n()
{
	sed -n "s/^$1  *\([0-9][0-9]*\) .*/\1/p" out
}

verdict()
{
	sed -n 's/^verdict  *//p' out
}

# Which code belongs to which verdict.
code_of()
{
	case $1 in
	sound | suspect) echo 0 ;;
	client-limited) echo 1 ;;
	'cannot tell: the mock is the bottleneck') echo 6 ;;
	*) echo none ;;
	esac
}

# is_playing PID: whether its mock, its only child, has a connection besides the
# socket that it listens at.
# shellcheck disable=SC2317
is_playing()
{
	mock=$(tr -d ' ' <"/proc/$1/task/$1/children") && [ -n "$mock" ] &&
	    [ "$(readlink /proc/"$mock"/fd/* | grep -c socket)" -gt 1 ]
}

trace-gen -q --isl 4 --osl 10 --count 40 --arrivals poisson --rate 40 \
    --seed 5 --no-host -o slow.trace
trace-gen -q --isl 4 --osl 5 --count 12 --no-host -o closed.trace
trace-gen -q --isl 4 --osl 1 --count 20000 --arrivals poisson --rate 400000 \
    --seed 5 --no-host -o fast.trace

# A load that is none, for half a second.  Whatever else runs on this machine
# may disturb it: it is tried until it is not disturbed.
try=0
code=1
while [ $code -ne 0 ] && [ $try -lt 20 ]; do
	try=$((try + 1))
	preflight --requests 8 --warmup 0 slow.trace
done
is $code 0 "a slow plan is no problem (try $try)"
is "$(code_of "$(verdict)")" 0 "and the verdict says so: $(verdict)"

preflight slow.trace
is $code "$(code_of "$(verdict)")" "code and verdict: $(verdict)"
is "$(cat err)" "" "nothing else is said"
is "$(n 'event time error')" 400 "each token's event was timed"
is "$(n 'ttft error')" 40 "each first token"
is "$(n 'sends late')" 40 "each send"
is "$(n "mock's own lateness")" 400 "the mock says how late it was"
is "$(grep -c '^itl sd .* seen, .* sent: error ' out)" 1 "sd of the gaps"
is "$(grep -c '^clocks .* kernel, .* user, .* merged' out)" 1 "clocks"
is "$(grep -c '^cpu .*; mock [0-9]* %$' out)" 1 "CPU of both"
is "$(sed -n 's/^preflight *\([^;]*\);.*/\1/p' out)" \
    "open loop, $(sed -n 's/.*, \(.*\) requests.s;.*/\1/p' out) requests/s" \
    "the plan"
is "$(ls spool)" "" "no file is left"

# No target is contacted, though one is named.
preflight --url 127.0.0.1:9 --concurrency 4 closed.trace
is "$(n 'event time error')" 60 "a closed loop, and a server that is not there"
is "$(grep -c 'closed loop, concurrency 4' out)" 1 "the slots"
is $code "$(code_of "$(verdict)")" "code and verdict: $(verdict)"
preflight --arm A=127.0.0.1:9 --arm B=127.0.0.1:9 --rounds 3 closed.trace
is "$(n 'ttft error')" 12 "arms and rounds: one run"

for keep in events times; do
	preflight --keep $keep --warmup 0 --concurrency 4 closed.trace
	is "$(n 'event time error')" 60 "--keep $keep"
done

# Another cadence, and what is cut of long answers: 5 s of tokens.
preflight=$(trace-replay -q --preflight=500ms --concurrency 12 --warmup 0 \
    --extra '{"max_tokens":100,"ignore_eos":true}' --requests 1 closed.trace)
is "$(printf '%s\n' "$preflight" | sed -n 's/^event time error *\([0-9]*\).*/\1/p')" \
    11 "answers are cut"

# What it cannot do.
preflight --requests 20000 fast.trace
case $code in
1 | 6) ok 0 "400,000 requests a second: $(verdict)" ;;
*) ok 1 "400,000 requests a second: code $code, $(verdict)" ;;
esac
is $code "$(code_of "$(verdict)")" "the code is the verdict's"
[ "$(sed -n '/^verdict/,$p' out | wc -l)" -gt 1 ]
ok $? "with reasons"
preflight --timeout 3ms --warmup 0 --abort-after 0 closed.trace
is "$code $(verdict)" "1 client-limited" "requests that fail"
tr -s '\n ' ' ' <out |
    grep -q '12 of 12 requests failed against the mock: .*timeout'
ok $? "are told, with why"
preflight --no-stream --warmup 0 closed.trace
is "$(n 'event time error')" 12 "without streams an answer is an event"

# has_read PID BYTES: that many bytes, libraries and all.
# shellcheck disable=SC2317
has_read()
{
	awk -v n="$2" '/^rchar:/ { exit $2 < n }' "/proc/$1/io"
}

# Interrupts: while the trace is read there is nothing to say; later the table
# is of what was played.  The writer, which got it as well, ends the trace.
# (Before a trace is opened an interrupt kills.)
mkfifo pipe
trace-replay -q --preflight pipe >out 2>err &
pid=$!
exec 3>pipe
before=$(awk '/^rchar:/ { print $2 }' "/proc/$pid/io")
zstdcat closed.trace | sed '/"kind":"request"/,$d' >begin
cat begin >&3
wait_until has_read "$pid" $((before + $(wc -c <begin)))
kill -TERM $pid
echo '{"kind":"end","records":1,"status":"interrupted"}' >&3
exec 3>&-
wait $pid
is "$? $(cat out)" "0 " "an interrupt while the trace is read"
trace-replay -q --preflight=200ms --concurrency 1 --warmup 0 closed.trace \
    >out 2>err &
pid=$!
wait_until is_playing $pid
kill -TERM $pid
wait $pid
code=$?
is "$(verdict | sed 's/.*, //')" interrupted "an interrupt of the play"
is $code "$(code_of "$(verdict | sed 's/, interrupted//')")" "its code"

# The table can go to a file; misuse.
preflight -o table closed.trace
is "$(wc -c <out) $(grep -c '^verdict' table)" "0 1" "--output"
trace-replay --preflight=fast closed.trace 2>err
is $? 2 "no duration"
trace-replay --preflight --dry-run closed.trace 2>err
is $? 2 "not with --dry-run"
is "$(ls spool)" "" "no file is left"
done_testing
