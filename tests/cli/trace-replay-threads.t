#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# trace-replay with several network threads, ramps and waiting awake.
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

# loops TAPE: how many measured exchanges each loop had.
loops()
{
	each "$1" '$h{int($r->{x} / 2**32)}++ if $r->{kind} eq "exchange" &&
	    $r->{stage} eq "measure";
	    END { print join " ", map { "$_:$h{$_}" } sort keys %h }'
}

# field TAPE KIND FIELD: of the last record of that kind; a.b is b in a.
field()
{
	each "$1" 'if ($r->{kind} eq "'"$2"'") { my $v = $r;
	    $v = $v->{$_} for split /\./, "'"$3"'"; $h{v} = $v }
	    END { print $h{v} // "none" }'
}

trace-gen -q --isl 10 --osl 3 --count 120 --no-host -o closed.trace
trace-gen -q --isl 10 --osl 3 --count 120 --arrivals constant --rate 400 \
    --no-host -o open.trace
serve a --ttft 5ms --itl 1ms

# Slots.
replay_at closed --threads 2 --concurrency 7 closed.trace
is "$code $(run_end closed.tape "done") $(run_end closed.tape threads)" \
    "0 120 2" "a closed loop of two threads: $(loops closed.tape)"
is "$(most closed.tape)" 7 "their slots are those that were asked for"
is "$(loops closed.tape | wc -w)" 2 "both had some"
is "$(each closed.tape '$h{$r->{x}}++ if $r->{kind} eq "exchange";
    END { print scalar keys %h }')" 122 "each exchange has a number of its own"
replay_at few --threads 8 --concurrency 3 closed.trace
is "$code $(run_end few.tape "done") $(most few.tape) $(loops few.tape |
    wc -w)" "0 120 3 3" "no more threads than slots"

# Planned times, without and with a cap.
replay_at open --threads 2 open.trace
is "$code $(each open.tape '$h{int($r->{x} / 2**32)}++
    if $r->{kind} eq "exchange" && $r->{stage} eq "measure";
    END { print $h{0} + $h{1}, $h{0} >= 40 && $h{1} >= 40 ? " fair" : "" }')" \
    "0 120 fair" "an open loop is dealt out: $(loops open.tape)"
is "$(each open.tape '$h{early}++ if $r->{kind} eq "exchange" &&
    $r->{start_ns} < $r->{due_ns}; $h{could}++ if exists $r->{could_ns};
    END { print $h{early} // 0, " ", $h{could} // 0 }')" "0 0" \
    "nothing is early, and nothing is held back"
replay_at cap --threads 2 --concurrency 2 open.trace
is "$code $(most cap.tape)" "0 2" "a cap holds for both"
is "$(each cap.tape 'if ($r->{kind} eq "exchange") {
    $h{held}++ if exists $r->{could_ns};
    my $could = $r->{could_ns} // $r->{due_ns};
    $h{bad}++ if $could < $r->{due_ns} || $r->{start_ns} < $could }
    END { print $h{held} > 50 ? "held " : "free ", $h{bad} // 0 }')" \
    "held 0" "due, could and start are in order"
sse-timestamp -q -z 0 cap.tape | metrics-reduce -q -z 0 --format stream >cap.metrics
is "$(each cap.tape '$h{$r->{id}} = $r->{start_ns} -
    ($r->{could_ns} // $r->{due_ns}) if $r->{kind} eq "exchange" &&
    $r->{stage} eq "measure";
    END { open(my $in, "<", "cap.metrics"); my ($n, $bad) = (0, 0);
    while (<$in>) { my $m = decode_json($_);
    next if $m->{kind} ne "result" || $m->{stage} ne "measure"; $n++;
    $bad++ if $m->{late_ns} != $h{$m->{id}} } print "$n $bad" }')" "120 0" \
    "late is what the client cost, not the cap"

# Sessions go on in whichever thread.
perl -e 'print "{\"kind\":\"header\",\"format\":\"llmtape.trace\"," .
    "\"version\":\"1.0\",\"epoch\":\"2026-03-01T12:00:00.000000000Z\"," .
    "\"epoch_mono\":\"1.000000000\",\"run_id\":\"r\",\"prov\":[]}\n";
    for my $t (1 .. 10) { for my $s (1 .. 6) {
    print "{\"kind\":\"request\",\"id\":\"s$s.$t\",\"session\":\"s$s\"," .
    ($t > 1 ? "\"after\":[\"s$s." . ($t - 1) . "\"],\"delay_ns\":2000000," : "") .
    "\"input\":{\"text\":\"x\"},\"output_tokens\":2}\n" } }
    print "{\"kind\":\"end\",\"records\":60,\"status\":\"complete\"}\n"' \
    >turns.trace
replay_at turns --threads 3 --concurrency 6 --warmup 0 turns.trace
is "$code $(run_end turns.tape "done") $(loops turns.tape | wc -w)" "0 60 3" \
    "sessions"
is "$(each turns.tape 'if ($r->{kind} eq "exchange") {
    $h{e}{$r->{id}} = $r->{end_ns}; $h{s}{$r->{id}} = $r->{start_ns};
    $h{d}{$r->{id}} = $r->{due_ns} }
    END { my $bad = 0; for my $s (1 .. 6) { for my $t (2 .. 10) {
    my $from = $h{e}{"s$s." . ($t - 1)} + 2e6;
    $bad++ if $h{d}{"s$s.$t"} < $from || $h{s}{"s$s.$t"} < $from } }
    print $bad }')" 0 "each turn waits for the one before, in whichever thread"

# A ramp.
replay_at ramp --threads 2 --concurrency 4 --concurrency-ramp 400ms --warmup 4 \
    closed.trace
is "$code $(run_end ramp.tape ramp_ns)" "0 400000000" "a ramp is on record"
is "$(each ramp.tape 'push @{$h{$r->{stage}}}, $r->{start_ns}
    if $r->{kind} eq "exchange"; $h{zero} = $r->{measure_ns}
    if $r->{kind} eq "run" && $r->{at} eq "end";
    END { my @s = map { $_ - $h{zero} } sort { $a <=> $b } @{$h{measure}};
    print((grep { $_ < 0 } @s) ? "early" : "good", " ",
    scalar(grep { $_ < 1e8 } @s) > 0 ? "one" : "none", " ",
    $h{zero} - (sort { $a <=> $b } @{$h{warmup}})[3] >= 0 ? "warm" : "cold") }')" \
    "good one warm" "it begins with the measured part"
is "$(each ramp.tape 'if ($r->{kind} eq "exchange" &&
    $r->{stage} eq "measure") {
    push @{$h{t}}, [$r->{start_ns}, 1], [$r->{end_ns}, -1] }
    $h{zero} = $r->{measure_ns} if $r->{kind} eq "run" && $r->{at} eq "end";
    END { my ($n, $bad) = (0, 0);
    for (sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } @{$h{t}}) {
    $n += $_->[1]; my $open = 1 + int(($_->[0] - $h{zero}) / 1e8);
    $bad++ if $n > ($open > 4 ? 4 : $open) } print $bad }')" 0 \
    "never more open than slots were opened"
replay_at noramp --concurrency 4 closed.trace
is "$(run_end noramp.tape ramp_ns)" none "without one nothing is said"

# Waiting awake.
replay_at awake --spin 50us open.trace
is "$code $(field awake.tape fidelity sends.spin_ns)" "0 50000" "--spin TIME"
[ "$(field awake.tape fidelity cpu.spin_ns)" -gt 0 ]
ok $? "what it cost is told: $(field awake.tape fidelity cpu.spin_ns) ns"
replay_at asleep --spin off open.trace
is "$code $(field asleep.tape fidelity sends.spin_ns) $(field asleep.tape \
    fidelity cpu.spin_ns)" "0 0 0" "--spin off"
replay_at auto --threads 2 open.trace
margin=$(field auto.tape fidelity sends.spin_ns)
[ "$margin" -ge 20000 ] && [ "$margin" -le 300000 ]
ok $? "by itself it is within bounds: $margin"
timeout 60 taskset -c "$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')" \
    trace-replay -q -z 0 --url "$at" open.trace >alone.tape
margin=$(field alone.tape fidelity sends.spin_ns)
[ "$margin" -ge 20000 ] && [ "$margin" -le 60000 ]
ok $? "on one CPU it is small: $margin"

# Ctrl-C.
trace-gen -q --isl 10 --osl 3 --count 5000 --arrivals constant --rate 50 \
    -o long.trace
env --default-signal=INT trace-replay -q -z 0 --url "$at" --threads 2 \
    long.trace >int.tape 2>int.err &
pid=$!
wait_until has_lines 10 '"stage":"measure"' int.tape
kill -s INT $pid
wait $pid
is "$? $(run_end int.tape stop) $(run_end int.tape cancelled)" \
    "0 interrupted 0" "an interrupt stops all"
is "$(run_end int.tape sent)" "$(run_end int.tape "done")" \
    "and what was sent is answered"
[ "$(run_end int.tape sent)" -gt 5 ]
ok $? "some were: $(run_end int.tape sent)"
is "$(field int.tape end status)" interrupted "the stream says so"
stop

# The second one does not wait.
serve b --ttft 10s
env --default-signal=INT trace-replay -q -z 0 --url "$at" --threads 2 \
    --concurrency 4 --warmup 0 closed.trace >twice.tape 2>/dev/null &
pid=$!
wait_until connected 4
interrupt $pid
interrupt $pid
wait $pid
is "$? $(run_end twice.tape cancelled) $(loops twice.tape)" "0 4 0:2 1:2" \
    "the second interrupt cancels in all"
stop

# Failures in a row are those of all threads.
timeout 60 trace-replay -q -z 0 --url 127.0.0.1:9 --threads 4 --concurrency 4 \
    --warmup 0 --model m closed.trace >dead.tape 2>dead.err
code=$?
failed_n=$(run_end dead.tape failed)
[ "$failed_n" -ge 20 ] && [ "$failed_n" -le 23 ]
ok $? "stopped after 20 in a row, and what was open: $failed_n"
is "$code $(run_end dead.tape stop)" "4 aborted" "no server answered"
serve c --ttft 1ms --fault 500:100%
replay_at bad --threads 2 --concurrency 4 --abort-after 0 closed.trace
is "$code $(run_end bad.tape failed)" "1 120" "0 never stops"

# What is refused.
for words in '--threads 0' '--threads 257' '--spin 11ms' '--spin fast' \
    '--spin -1ms' '--concurrency-ramp 1s'; do
	# shellcheck disable=SC2086
	replay_at refused $words closed.trace
	is "$code" 2 "$words: $(head -c 90 refused.err)"
done
stop
done_testing
