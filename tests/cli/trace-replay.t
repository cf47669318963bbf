#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# trace-replay against servers: every request once, whatever the server does;
# what is kept after an interrupt, a kill, a pipe that breaks; no secret
# anywhere.
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

pace='--ttft 20ms --itl 2ms'

# ends TAPE: how its segment ended.
ends()
{
	tail -n 1 "$1" | sed -n 's/.*"status":"\([a-z]*\)"}$/\1/p'
}

# measured TAPE: ids of measured exchanges without error, one a line, sorted.
measured()
{
	each "$1" 'print "$r->{id}\n" if $r->{kind} eq "exchange" &&
	    $r->{stage} eq "measure" && !$r->{error}' | sort
}

# errors TAPE: class and cause of measured failures, with their numbers.
errors()
{
	each "$1" 'print "$r->{error}{class} $r->{error}{cause}\n"
	    if $r->{kind} eq "exchange" && $r->{stage} eq "measure" &&
	    $r->{error}' | sort | uniq -c | sed 's/^ *//'
}

trace-gen -q --isl 40,10 --osl 12,4 --count 200 --arrivals poisson --rate 400 \
    --seed 3 --no-host -o open.trace
trace-gen -q --isl 10 --osl 8 --count 40 --no-host -o closed.trace
seq 200 | sort >ids200
seq 40 | sort >ids40

# Every request once.
serve a
replay once --url "$at" open.trace
is $code 0 "a whole trace"
measured once.tape >got
cmp -s got ids200
ok $? "every id is answered exactly once"
is "$(ends once.tape)" complete "and the stream is complete"
is "$(run_end once.tape sent) $(run_end once.tape "done")" "200 200" "counts"
is "$(run_end once.tape stop)" complete "stop"
is "$(each once.tape 'print $r->{loop} if $r->{kind} eq "run" &&
    $r->{at} eq "start"')" open "an open loop"
is "$(sse-timestamp -q -z 0 once.tape | grep -c '"kind":"response"')" 202 \
    "sse-timestamp reads it"
stop
is "$(wc -l <a.log)" "$(each once.tape '$h{n}++ if $r->{kind} eq "exchange";
    END { print $h{n} + 5 }')" \
    "the server saw each once, and what was asked around the run"

# A closed loop keeps its slots full and no more.
serve a
replay slots --url "$at" --concurrency 4 --warmup 0 closed.trace
is $code 0 "four slots"
measured slots.tape >got
cmp -s got ids40
ok $? "every id"
is "$(most slots.tape)" 4 "four at once, never five"

# Beyond the trace.
replay cycle --url "$at" --concurrency 8 --loop --requests 100 closed.trace
is "$code $(measured cycle.tape | wc -l) $(run_end cycle.tape passes)" \
    "0 100 3" "--loop goes over the trace again"
is "$(each cycle.tape 'print $r->{id} if $r->{kind} eq "exchange" &&
    $r->{pass} == 2' | wc -c)" 31 "the third pass has twenty"
is "$(run_end cycle.tape stop)" requests "stop"

# What is sent is what is said.
replay keep --url "$at" --concurrency 8 --warmup 0 --keep-requests \
    --requests 5 closed.trace
is "$(each keep.tape 'if ($r->{kind} eq "exchange") {
    use integer; my $x = -3750763034362895579;
    for (unpack "C*", $r->{req}{body}) { $x ^= $_; $x *= 1099511628211 }
    print sprintf("%016x", $x) eq $r->{req}{hash} &&
    length($r->{req}{body}) == $r->{req}{bytes} ? "y" : "n" }')" yyyyy \
    "hash and length are those of the body"
stop

# A duration, and what it leaves open.
serve a --ttft 300ms
replay time --url "$at" --warmup 0 --duration 250ms --grace 20ms open.trace
is $code 0 "a duration is no failure"
is "$(run_end time.tape stop)" duration "stop"
is "$(errors time.tape)" "$(run_end time.tape cancelled) cancelled cancelled" \
    "what is open after the grace is cancelled"
is "$(each time.tape '$h{n}++ if $r->{kind} eq "exchange"; $h{u} = $r->{unsent}
    if $r->{kind} eq "run" && $r->{at} eq "end"; END { print $h{n} + $h{u} }')" \
    200 "sent and unsent are all"
stop

# Whatever the server does.
serve a --fault 429:1/4
replay busy --url "$at" --concurrency 4 --warmup 0 closed.trace
is "$code $(errors busy.tape)" "1 10 http status" "429 for every fourth"
grep -q "^trace-replay: request '.*' failed: HTTP 429: {\"error\"" busy.err
ok $? "the first is told, with its body"
grep -q '10 of 40 requests failed' busy.err
ok $? "and how many"
is "$(each busy.tape 'print $r->{error}{message} if $r->{kind} eq "exchange" &&
    $r->{error} && !$h{n}++' | grep -c '[a-z] [a-z]')" 1 \
    "the record has the server's words"
replay some --url "$at" --concurrency 4 --warmup 0 --max-failed 25% closed.trace
is $code 0 "--max-failed 25%"
replay few --url "$at" --concurrency 4 --warmup 0 --max-failed 9 closed.trace
is $code 1 "--max-failed 9"
stop
serve a --fault 500:100%
replay down --url "$at" --concurrency 1 --warmup 0 --model m closed.trace
is "$code $(errors down.tape)" "1 20 http status" \
    "stops after twenty failures in a row"
is "$(run_end down.tape stop) $(run_end down.tape unsent)" "aborted 20" \
    "and says so"
replay all --url "$at" --concurrency 4 --abort-after 0 --model m closed.trace
is "$code $(errors all.tape)" "1 40 http status" "--abort-after 0 never does"
replay notfound --url "$at/nowhere" --model m --warmup 0 --abort-after 2 \
    closed.trace
is "$code $(errors notfound.tape)" "1 2 http status" "404"
grep -q 'HTTP 404' notfound.err
ok $? "is told"
replay nomodel --url "$at/nowhere" closed.trace
is $code 4 "no model to be learnt"
grep -q -- '--model gives it.*HTTP 404' nomodel.err
ok $? "with advice"
stop
serve a --fault reset:1/4 --fault truncate:1/5
replay cut --url "$at" --concurrency 4 --warmup 0 closed.trace
is $code 1 "cut streams"
is "$(each cut.tape '$h{$r->{error} ? $r->{error}{class} : "good"}++
    if $r->{kind} eq "exchange";
    END { print join " ", map { "$_=$h{$_}" } sort keys %h }')" \
    "good=24 reset=10 truncated=6" "are failures of their class"
is "$(each cut.tape 'print "x" if $r->{kind} eq "exchange" && $r->{error} &&
    $r->{body} !~ /^data: /')" "" "and keep what came before"
stop
serve a --fault stall:1/10 --stall-for 20s
replay stall --url "$at" --concurrency 8 --warmup 0 --idle-timeout 300ms \
    closed.trace
is "$code $(errors stall.tape)" "1 4 timeout idle" "a stalled stream times out"
stop

# A kept connection that the server closes: nothing is sent twice.
serve a --fault stale:50%
replay stale --url "$at" --concurrency 2 --warmup 0 --max-failed 40 --model m \
    closed.trace
is $code 0 "connections that are closed"
is "$(grep -c '"path":"/v1/chat' a.log)" "$(each stale.tape '$h{n}++
    if $r->{kind} eq "exchange" && $r->{status}; END { print $h{n} }')" \
    "every request was seen once, or not at all"
stop

# Credentials.
printf 'sk-open-sesame-0815\n' >key
serve a --api-key-file key
replay nokey --url "$at" --model m --warmup 0 --abort-after 3 closed.trace
is "$code $(errors nokey.tape)" "1 3 http status" "401 without the key"
grep -q 'HTTP 401' nokey.err
ok $? "is told"
replay key --url "$at" --api-key-file key --concurrency 4 closed.trace
is $code 0 "and not with it"
printf 'Authorization: Bearer sk-open-sesame-0815\n' >lines
KEY=sk-open-sesame-0815 trace-replay -q --url "$at" --api-key-env KEY \
    --requests 3 --keep-requests --meta token=sk-open-sesame-0815 \
    --server-cmd 'serve --api-key sk-open-sesame-0815' -o env.tape closed.trace \
    >/dev/null
is $? 0 "from a variable"
trace-replay -q --url "http://u:sk-open-sesame-0815@$at/?k=sk-open-sesame-0815" \
    --header-file lines --requests 3 -o file.tape closed.trace \
    >/dev/null 2>file.err
is $? 0 "from a file, over other credentials in the URL"
trace-replay --url "$at" --header-file lines --dry-run closed.trace >dry 2>&1
is $? 0 "in a dry run"

# A server that says aloud what it was sent.
perl "$root/tests/support/echo.pl" echo.port echo.log &
pids="$pids $!"
wait_for echo.port
# The process list, while it runs.
trace-replay --url "127.0.0.1:$(cat echo.port)" --model m --header-file lines \
    --warmup 0 --abort-after 1 -o echo.tape closed.trace >echo.out 2>echo.err
is $? 1 "a server that repeats the key"
grep -q 'bad key in' echo.err && grep -q 'Authorization: \*\*\*\*' echo.err
ok $? "is quoted without it"
sse-timestamp -q -z 0 echo.tape >echo.events 2>&1
for f in *.tape; do
	zstdcat -f "$f"
done >tapes
grep -a -l -e open-sesame tapes ./*.err ./*.events ./dry echo.out
is $? 1 "the secret is in no stream and no message"
grep -a -q 'www-authenticate' tapes
is $? 1 "nor is a header about credentials"
stop

# As others see it while it runs.
serve a --api-key-file key --ttft 500ms
KEY=sk-open-sesame-0815 trace-replay -q --url "http://u:sk-open-sesame@$at" \
    --api-key-env KEY --requests 2 --warmup 0 closed.trace >list.tape &
pid=$!
wait_until connected 1
tr '\0' ' ' <"/proc/$pid/cmdline" >cmdline
wait $pid
grep -q requests cmdline
ok $? "the process list"
grep -a -q 'sk-open-sesame-0815' cmdline
is $? 1 "does not have the key"
stop

# Arms and rounds.
serve b
b=$at
serve a
replay arms --arm "A=$at" --arm "B=$b" --rounds 4 --concurrency 8 \
    --requests 10 --label gpu=none --seed 5 closed.trace
is $code 0 "two arms, four rounds"
each arms.tape 'print "$r->{arm}$r->{round}$r->{position} "
    if $r->{kind} eq "run" && $r->{at} eq "start"' >got
grep -Eq '^(A11 B12 B21 A22|B11 A12 A21 B22) (A31 B32 B41 A42|B31 A32 A41 B42) $' \
    got
ok $? "in balanced blocks: $(cat got)"
is "$(each arms.tape 'push @{$h{e}}, $r->{kind} . ($r->{at} // "")
    if $r->{kind} =~ /run|fid/; END { print join(" ", @{$h{e}}) eq
    join(" ", ("runstart runend fidelity") x 8) }')" 1 \
    "each with its records"
is "$(each arms.tape 'if ($r->{kind} eq "exchange") { my $k = $r->{id};
    $h{t}{$h{run}{$r->{run}}[1]}{$k}{$r->{req}{hash}}++ }
    elsif ($r->{kind} eq "run") { $h{run}{$r->{run}} = [$r->{arm}, $r->{round}] }
    END { my %all; for my $t (values %{$h{t}}) { for my $k (keys %$t) {
    die if keys %{$t->{$k}} != 1; $all{$k}{$_}++ for keys %{$t->{$k}} } }
    print join " ", map { scalar keys %{$all{$_}} } sort keys %all }')" \
    "4 4 4 4 4 4 4 4 4 4 4 4" \
    "one text in both arms of a round, another in each round"
is "$(each arms.tape 'if ($r->{kind} eq "exchange") {
    $h{$r->{run}}[0] //= $r->{start_ns}; $h{$r->{run}}[1] = $r->{end_ns} }
    END { my $last = 0; for (sort { $a <=> $b } keys %h) {
    die if $h{$_}[0] < $last; $last = $h{$_}[1] } print "apart" }')" apart \
    "runs do not overlap"
is "$(each arms.tape 'print $r->{labels}{gpu} if $r->{kind} eq "run"' |
    wc -c)" 64 "labels are in run records"
replay single --arm "A=$at" --round 3 --session s1 --requests 3 closed.trace
is "$code $(each single.tape 'print join " ", @{$r}{qw(arm round session salt)}
    if $r->{kind} eq "run" && $r->{at} eq "start"')" "0 A 3 s1 3" \
    "a single run is labelled, and salted as its round"
stop

# Conversations.
serve a
trace-gen -q --isl 10 --osl 8 --count 3 -z 0 --no-host |
    perl -ne 'if (/"kind":"request"/) { my $i = ++$n;
    s/"id":"\d+"/"id":"t$i","session":"s"/;
    s/"session":"s"/"session":"s","after":["t@{[$i - 1]}"],"delay_ns":150000000/
    if $i > 1; } print' >turns.trace
replay turns --url "$at" --concurrency 8 --warmup 0 turns.trace
is $code 0 "a conversation"
is "$(each turns.tape '$h{$r->{id}} = $r if $r->{kind} eq "exchange";
    END { for (2, 3) { my ($p, $t) = ($h{"t" . ($_ - 1)}, $h{"t$_"});
    print $t->{due_ns} - $p->{end_ns} == 150000000 ? "due " : "no ";
    print $t->{start_ns} >= $t->{due_ns} ? "after " : "no " } }')" \
    "due after due after " "each turn waits for the one before, and its delay"
stop

# A server that is not there yet.
serve a
port=${at##*:}
stop
(
	sleep 1
	exec trace-serve -q --listen "$port" --for 20s
) &
pids="$pids $!"
replay early --url "127.0.0.1:$port" --wait-ready --requests 2 closed.trace
is "$code $(run_end early.tape "done")" "0 2" "waits until a token comes"
replay health --url "127.0.0.1:$port" --wait-ready=/health --requests 2 \
    closed.trace
is $code 0 "or until a path is answered"
stop
replay never --url "127.0.0.1:$port" --wait-ready --wait-timeout 1s closed.trace
is $code 4 "but not for ever"
grep -q 'not ready\|cannot learn' never.err
ok $? "and says what it got"

# Whole answers.
serve a
replay plain --url "$at" --no-stream --api completions --requests 3 --warmup 0 \
    closed.trace
is "$code $(each plain.tape 'print $r->{stream} ? "s" : "p",
    decode_json($r->{body})->{usage}{completion_tokens}
    if $r->{kind} eq "exchange"')" "0 p8p8p8" "--no-stream"

# The next tool leaves: the archive goes on.
trace-replay -q --url "$at" --concurrency 1 -o left.tape closed.trace |
    head -c 100 >/dev/null
is "$(sse-timestamp -q -z 0 left.tape | grep -c '"kind":"response"')" 42 \
    "a pipe that breaks does not touch the archive"
sh -c 'trace-replay --url "$1" closed.trace; echo $? >code' - "$at" 2>left.err |
    head -c 100 >/dev/null
is "$(cat code)" 141 "without an archive it ends"
is "$(cat left.err)" "" "quietly"
stop

# Ctrl-C of a whole pipeline.
serve a
cat >pipeline <<'EOF'
trace-gen -q --isl 10 --osl 100 --count 5000 --arrivals constant --rate 20 |
    trace-replay -q --url "$1" -o int.tape | sse-timestamp -q -z 0 >int.events
EOF
env --default-signal=INT setsid sh pipeline "$at" &
pid=$!
wait_until has_lines 15 '"path":"/v1/chat' a.log
kill -s INT -- -$pid 2>/dev/null || kill -s INT -- "-$(ps -o pgid= $pid)"
wait $pid 2>/dev/null
[ -f int.tape ] && [ ! -f int.tape.partial ]
ok $? "after Ctrl-C the archive has its name"
zstdcat int.tape >int.plain
is "$(ends int.plain) $(ends int.events)" "interrupted interrupted" \
    "both streams say interrupted"
is "$(run_end int.plain stop)" interrupted "stop"
is "$(run_end int.plain sent)" "$(run_end int.plain "done")" \
    "what was sent is answered"
[ "$(run_end int.plain sent)" -gt 10 ]
ok $? "some were: $(run_end int.plain sent)"
is "$(grep -c '"kind":"response"' int.events)" \
    "$(grep -c '"kind":"exchange"' int.plain)" "and all are in the events"
stop

# The second Ctrl-C does not wait.
serve a --ttft 10s
env --default-signal=INT \
    trace-replay -q -z 0 --url "$at" --warmup 0 closed.trace >twice.tape 2>/dev/null &
pid=$!
wait_until has_lines 1 '"kind":"run"' twice.tape
wait_until connected 1
interrupt $pid
kill -s TERM $pid
wait $pid
is "$? $(ends twice.tape) $(errors twice.tape)" \
    "0 interrupted 1 cancelled cancelled" "the second cancels"
stop

# kill -9: what was answered more than two seconds before is there.
awk 'BEGIN { for (i = 1; i <= 400; i++) { t = "x"
    for (k = 1; k < i; k++) t = t " x"
    printf "{\"text_input\":\"%s\",\"output_length\":4}\n", t } }' |
    trace-gen -q --from prompts --arrivals constant --rate 60 -o kill.trace
for answers in 180 250; do
	serve a
	trace-replay -q --url "$at" --warmup 0 -o kill.tape kill.trace >/dev/null &
	pid=$!
	wait_until has_lines $answers '"outcome":"complete"' a.log
	now=$(perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e \
	    'printf "%d", clock_gettime(CLOCK_MONOTONIC) * 1e9')
	kill -s KILL $pid
	wait $pid 2>/dev/null
	stop
	[ -f kill.tape.partial ]
	ok $? "killed after $answers answers"
	sse-timestamp -q -z 0 --allow-truncated kill.tape.partial >kill.events \
	    2>kill.err
	is $? 0 "the rest is read"
	# A prompt's length tells which request it was.
	is "$(perl -MJSON::PP -e '
	my ($now) = @ARGV; my (%t, $n);
	open(my $e, "<", "kill.events"); while (<$e>) { my $r = decode_json($_);
	$t{$r->{tokens}{input}} = 1 if $r->{kind} eq "response" && $r->{tokens} }
	open(my $l, "<", "a.log"); while (<$l>) { my $r = decode_json($_);
	next unless $r->{outcome} eq "complete" && $r->{prompt_tokens} &&
	    $r->{t_end_ns} < $now - 2e9; $n++;
	print "$r->{prompt_tokens} is missing\n" unless $t{$r->{prompt_tokens}} }
	print $n > 20 ? "all" : "only $n"' "$now")" all \
	    "and has all that was done two seconds before"
	rm -f kill.tape.partial
done

done_testing
