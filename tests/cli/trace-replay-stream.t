#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# trace-replay with traces that are longer than their head start: sending begins
# while the rest is read; what is wrong further on; rounds, passes, sessions and
# warm-up of such a trace; a producer that is slow; an interrupt.
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

# long N [TIMED]: lines of N requests r0, r1, ...; without t_ns, or one each
# 0.2 ms.
long()
{
	perl -e 'my ($n, $timed) = @ARGV; for my $i (0 .. $n - 1) {
	    printf "{\"kind\":\"request\",\"id\":\"r%d\",%s\"input\":" .
	    "{\"text\":\"a b\"},\"output_tokens\":1}\n", $i,
	    $timed ? "\"t_ns\":" . $i * 200000 . "," : "" }' "$@"
}

# trace: lines on standard input as a whole trace.
trace()
{
	printf '%s' '{"kind":"header","format":"llmtape.trace","version":"1.0",'
	printf '%s' '"epoch":"2026-03-01T12:00:00.000000000Z","epoch_mono":'
	printf '%s\n' '"1.000000000","run_id":"r","prov":[]}'
	perl -pe '$n++; END { print
	    qq({"kind":"end","records":$n,"status":"complete"}\n) }'
}

# ids TAPE STAGE: of its exchanges, as sorted numbers.
ids()
{
	sed -n '/"kind":"exchange"/{/"stage":"'"$2"'"/s/^.*"id":"[a-z]*\([0-9]*\)".*/\1/p
	}' "$1" | sort -n
}

# runs TAPE: the records of its runs, for perl.
runs()
{
	grep '"kind":"run"' "$1" >runs.json
	echo runs.json
}

# told TAPE FIELD: of the last end record of a run.
told()
{
	run_end "$(runs "$1")" "$2"
}

# run_start TAPE FIELD: of the first record of a run.
run_start()
{
	each "$(runs "$1")" 'our $v; $v //= $r->{'"$2"'} // "absent" if
	    $r->{kind} eq "run" && $r->{at} eq "start";
	    END { print $v // "none" }'
}

serve server --ttft 0ms --itl 0ms
fast='--concurrency 16'
long 5000 >lines5000
seq 0 4999 >ids5000
trace <lines5000 >long.trace

# From beginning to end.
# shellcheck disable=SC2086
replay_at whole $fast long.trace
is $code 0 "5,000 requests are played"
ids whole.tape measure >got
cmp -s got ids5000
ok $? "each once"
is "$(ids whole.tape warmup | tr '\n' ' ')" "4094 4095 " \
    "the warm-up is the end of the head start"
is "$(run_start whole.tape trace_hash) $(run_start whole.tape requests)" \
    "absent absent" "at its start hash and number are not known"
is "$(told whole.tape requests) $(told whole.tape passes)" "5000 1" \
    "at its end they are"
is "$(told whole.tape unsent) $(told whole.tape stop)" "0 complete" \
    "and nothing is left"
perl -e 'use integer; my $x = -3750763034362895579; local $/;
    for (unpack "C*", <STDIN>) { $x ^= $_; $x *= 1099511628211 }
    printf "%016x", $x' <lines5000 >hash.txt
is "$(told whole.tape trace_hash)" "$(cat hash.txt)" "the hash is of all lines"
sse-timestamp -q -z 0 whole.tape >whole.events
is "$(metrics-reduce -q -z 0 --format stream whole.events |
    grep '"kind":"check"' | grep -c '"requests".*5000 of 5000')" 1 \
    "metrics-reduce knows how many there should be"

# A warm-up beyond the usual head start makes that longer.
long 7000 >lines7000
trace <lines7000 >longer.trace
# shellcheck disable=SC2086
replay_at warm $fast --warmup 5000 --requests 3 longer.trace
is "$code $(ids warm.tape warmup | sed -n '1p;$p' | tr '\n' ' ')" "0 0 4999 " \
    "--warmup 5000 plays the first 5,000"
is "$(ids warm.tape measure | tr '\n' ' ')" "0 1 2 " "--requests 3"
is "$(told warm.tape requests) $(told warm.tape unsent)" "3 0" "counts"

# What is wrong behind the head start.
broken()
{
	sed "$1" lines7000 | trace >broken.trace
	rm -f broken.tape
	# shellcheck disable=SC2086
	trace-replay -q -z 0 --url "$at" $fast --warmup 0 -o broken.tape \
	    broken.trace >/dev/null 2>broken.err
	code=$?
}

broken '6000s/r5999/r17/'
is "$code" 3 "an id that is there twice, far behind"
grep -q "^trace-replay: broken.trace:6001: id 'r17' is there twice" broken.err
ok $? "is told with its line"
is "$(ids broken.tape measure | wc -l)" 5999 "all before it are in the archive"
is "$(told broken.tape "done") $(told broken.tape stop)" "5999 aborted" \
    "answered, and the run says why it ended"
is "$(told broken.tape trace_hash)" none "the trace has no hash"
is "$(tail -n 1 broken.tape | grep -c '"status":"failed"')" 1 \
    "the stream is failed"
[ ! -e broken.tape.partial ]
ok $? "and has its name"
sse-timestamp -q -z 0 broken.tape >broken.events 2>err
is "$? $(grep -c '"kind":"response"' broken.events)" "3 5999" \
    "sse-timestamp takes what is there"
broken '6000s/"text":/"x":/'
is "$code $(grep -c ':6001: .*input' broken.err)" "3 1" \
    "a request without an input"
broken '6000s/.*/{"kind":"request"/'
is "$code $(grep -c '^trace-replay: broken.trace:6001: ' broken.err)" "3 1" \
    "a line that is no record"
head -n 6000 longer.trace >cut.trace
# shellcheck disable=SC2086
replay_at cut $fast --warmup 0 cut.trace
is "$code $(ids cut.tape measure | wc -l)" "3 5999" "one without its end"
# shellcheck disable=SC2086
replay_at cut $fast --warmup 0 --allow-truncated cut.trace
is "$code $(ids cut.tape measure | wc -l) $(told cut.tape requests)" \
    "0 5999 5999" "--allow-truncated makes that an end"
broken '100s/r99/r17/'
is "$code $(wc -l <broken.err)" "3 1" "in the head start it is told at once"
[ ! -e broken.tape ]
ok $? "and nothing is sent"
# shellcheck disable=SC2086
replay_at beyond $fast --warmup 0 --requests 5001 long.trace
is "$code $(ids beyond.tape measure | wc -l)" "3 5000" \
    "--requests beyond the end is known there"
grep -q -e '--requests 5001 of a trace of 5000: give --loop' beyond.err
ok $? "and told"
# shellcheck disable=SC2086
replay_at exact $fast --warmup 0 --requests 5000 long.trace
is "$code $(ids exact.tape measure | wc -l)" "0 5000" "just to its end is well"

# Again and again, and in rounds.
# shellcheck disable=SC2086
replay_at cycle $fast --warmup 0 --loop --requests 10007 long.trace
is "$code $(ids cycle.tape measure | wc -l) $(told cycle.tape passes)" \
    "0 10007 3" "--loop"
is "$(grep -o '^{"kind":"exchange".*"pass":[0-9]*' cycle.tape |
    grep -o '[0-9]*$' | sort | uniq -c | tr -s ' \n' ' ')" \
    " 5000 0 5000 1 7 2 " \
    "each pass has all"
# shellcheck disable=SC2086
replay_at rounds $fast --rounds 2 long.trace
is "$code $(grep -c '"kind":"exchange".*"run":1,.*"measure"' rounds.tape)" \
    "0 5000" "--rounds 2: the first"
is "$(grep -c '"kind":"exchange".*"run":2,.*"measure"' rounds.tape)" 5000 \
    "and the second"
is "$(ids rounds.tape warmup | tr '\n' ' ')" "4094 4094 4095 4095 " \
    "with the same warm-up"
is "$(each "$(runs rounds.tape)" 'print $r->{trace_hash} // "absent", " "')" \
    "absent $(cat hash.txt) $(cat hash.txt) $(cat hash.txt) " \
    "the second run knows the trace at its start"

# Two arms, of which only the first run met an end that was not known yet.
# shellcheck disable=SC2086
trace-replay -q -z 0 --no-host --arm "A=$at" --arm "B=$at" --rounds 2 \
    --keep times $fast long.trace >arms.tape 2>arms.err
is $? 0 "two arms"
sse-timestamp -q -z 0 arms.tape | metrics-reduce -q -z 0 --format stream |
    ab-compare >arms.out 2>&1
is "$(grep -c 'differ in\|conditions' arms.out)" 0 \
    "ab-compare finds them to have played the same"

# Conversations: the next turn is some 6,000 requests behind.
perl -e 'for my $i (0 .. 11999) {
    my $s = $i % 2000 == 0 ? "\"session\":\"s\"," : "";
    my $after = $i % 2000 == 0 && $i > 0 ?
	"\"after\":[\"r" . ($i - 2000) . "\"]," : "";
    my $input = "\"input\":{\"text\":\"a\"}";
    print "{\"kind\":\"request\",\"id\":\"r$i\",$s$after$input," .
	"\"output_tokens\":1}\n" }' | trace >turns.trace
# shellcheck disable=SC2086
replay_at turns $fast --warmup 0 turns.trace
is "$code $(ids turns.tape measure | wc -l)" "0 12000" "sessions"
grep '"session":"s"' turns.tape >turns.json
is "$(each turns.json '$h{$r->{id}} = $r; END {
    for (1 .. 5) { my ($a, $b) = @h{"r" . ($_ - 1) * 2000, "r" . $_ * 2000};
    print $b->{start_ns} >= $a->{end_ns} ? "y" : "n" } }')" yyyyy \
    "each turn waits for the one before"

# A producer that takes its time: what is there is sent while it makes the rest,
# which it does only when 60 answers are in the archive.
mkfifo fifo
{
	trace <lines5000 | head -n 31
	sleep 0.3
	sed -n 31,60p lines5000
	i=0
	while [ ! -e go ] && [ $i -lt 600 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	sed -n 61,90p lines5000
	echo '{"kind":"end","records":90,"status":"complete"}'
} >fifo &
pids=$!
trace-replay -q -z 0 --url "$at" -o slow.tape fifo >/dev/null \
    2>slow.err &
replayer=$!
pids="$pids $replayer"
wait_until has_lines 62 '"kind":"exchange"' slow.tape.partial
: >go
wait $replayer
is $? 0 "60 are answered before the others are made"
is "$(ids slow.tape measure | wc -l) $(told slow.tape requests)" "90 90" \
    "then the rest is played"
is "$(ids slow.tape warmup | tr '\n' ' ')" "28 29 " \
    "the warm-up is what had come by then"

# It must not fail either when nothing comes for a while at the very beginning.
{
	sleep 0.3
	trace <lines5000
} | trace-replay -q -z 0 --url "$at" --requests 5 --warmup 0 >late.tape \
    2>late.err
is "$? $(ids late.tape measure | wc -l)" "0 5" "one that begins late"

# An interrupt in the middle, of a trace that never ends.
mkfifo never
{
	trace <lines5000 | head -n 40
	sleep 600
} >never &
producer=$!
pids=$producer
env --default-signal=INT trace-replay -q -z 0 --url "$at" -o int.tape never \
    >/dev/null 2>int.err &
replayer=$!
pids="$pids $replayer"
wait_until has_lines 41 '"kind":"exchange"' int.tape.partial
kill -s INT $replayer
wait $replayer
is "$? $(ids int.tape measure | wc -l)" "0 39" "an interrupt ends it"
is "$(told int.tape stop) $(tail -n 1 int.tape |
    grep -c '"status":"interrupted"')" "interrupted 1" "and the stream says so"
kill $producer 2>/dev/null

# One that is interrupted with much of the trace unread.
env --default-signal=INT trace-replay -q -z 0 --url "$at" --concurrency 1 \
    -o int2.tape longer.trace >/dev/null 2>int2.err &
replayer=$!
pids=$replayer
wait_until has_lines 1 '"stage":"measure"' int2.tape.partial
kill -s INT $replayer
wait $replayer
is "$? $(told int2.tape stop)" "0 interrupted" \
    "an interrupt in the middle of a file"
is "$(ids int2.tape measure | wc -l)" "$(told int2.tape sent)" \
    "all that was sent is in the archive"
pids=

# The trace's programs of a segment that begins late cannot be in the header.
perl -ne 'if (/"kind":"header"/) { $k++ } s/"id":"r/"id":"s/ if $k == 2; print' \
    longer.trace long.trace >two.trace
# shellcheck disable=SC2086
trace-replay -q -z 0 --url "$at" $fast --warmup 0 two.trace >two.tape 2>two.err
is "$? $(grep -c '"kind":"exchange"' two.tape)" "0 12000" "two long segments"
grep -q 'behind its head start' two.err
ok $? "what made the second is said not to be in the header, also with -q"
stop
done_testing
