#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# trace-replay: requests that are sent again, and those that are cancelled on
# purpose, against trace-serve and its faults.
#
# Perl programs stand in single quotes:
# shellcheck disable=SC2016,SC2317
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

# shellcheck disable=SC2034
pace='--ttft 2ms --itl 1ms'

# As in replay.sh, and the server's log has the ids of the records.
replay()
{
	name=$1
	shift
	timeout -k 5 120 trace-replay -q -z 0 --no-host \
	    --request-id-header X-Request-ID "$@" >"$name.tape" 2>"$name.err"
	code=$?
}

# reduce NAME: NAME.tape to NAME.metrics.
reduce()
{
	sse-timestamp -z 0 "$1.tape" 2>"$1.err" |
	    metrics-reduce --format stream -z 0 2>>"$1.err" >"$1.metrics"
}

# account NAME: whether all of its tape, log and metrics fits together.
account()
{
	reduce "$1"
	"$root/tests/support/account.pl" "$1.tape" "$1.log" "$1.metrics" \
	    >"$1.account" || {
		sed 's/^/# /' "$1.account" | head -n 20
		return 1
	}
}

# check NAME CHECK: status and text of that check.
check()
{
	each "$1.metrics" 'print "$r->{status}: $r->{text}" if
	    $r->{kind} eq "check" && $r->{name} eq "'"$2"'"'
}

# last TAPE: how requests ended, by their last attempts, in one line.
last()
{
	each "$1" '$h{"$r->{run} $r->{id}"} = $r->{error} ?
	    "$r->{error}{class} $r->{error}{cause}" : "done" if
	    $r->{kind} eq "exchange" && $r->{stage} eq "measure";
	    END { my %n; $n{$_}++ for values %h;
	    print join ", ", map { "$n{$_} $_" } sort keys %n }'
}

trace-gen -q --isl 10 --osl 6 --count 60 --no-host -o closed.trace || exit 1
trace-gen -q --isl 10 --osl 6 --count 60 --rate 400 --no-host -o open.trace ||
    exit 1

# Every second answer is a 503.
serve often --fault 503:1/2
replay_at often --warmup 0 --concurrency 4 --retry 9 --retry-delay 1ms \
    --retry-delay-max 4ms closed.trace
is "$code" 0 'nothing failed at last'
stop
account often
ok $? 'all is accounted for'
is "$(last often.tape)" '60 done' 'each request is done'
is "$(run_end often.tape sent)" 60 'sixty were sent'
[ "$(run_end often.tape retries)" -gt 20 ]
ok $? 'many of them more than once'
is "$(each often.tape '$h{n} += defined $r->{retry_ns} && $r->{status} != 503
    if $r->{kind} eq "exchange"; END { print $h{n} }')" 0 \
    'only those with 503 were sent again'
check often attempts | grep -q '^warn: .* of 60 were sent more than once'
ok $? 'metrics-reduce says how many'
is "$(each often.metrics '$h{n}++ if $r->{kind} eq "result" &&
    $r->{attempt} > 1 && $r->{latency_ns} !=
    $r->{last_ns} - $r->{origin_start_ns}; END { print $h{n} // 0 }')" 0 \
    'latency counts from the first attempt'

# Without it, nothing is sent again.
serve never --fault 503:1/2
replay_at never --warmup 0 --max-failed 100% --abort-after 0 closed.trace
stop
account never
ok $? 'without --retry: all is accounted for'
is "$(last never.tape)" '30 done, 30 http status' 'half of it failed'
is "$(run_end never.tape retries)" none 'and nothing is said of retries'
serve other --fault 500:1/2
replay_at other --warmup 0 --retry 3 --max-failed 100% --abort-after 0 \
    closed.trace
is "$(last other.tape)" '30 done, 30 http status' '500 is not retried'
stop
serve chosen --fault 500:1/2
replay_at chosen --warmup 0 --retry 5 --retry-on 5xx --retry-delay 0 closed.trace
is "$(last chosen.tape)" '60 done' 'unless it is asked for'
stop

# A server that is always full, and says how long.
serve full --fault 429:1
replay_at full --warmup 0 --requests 2 --concurrency 2 --retry 2 \
    --retry-delay-max 100ms --max-failed 100% closed.trace
stop
account full
ok $? 'a full server: all is accounted for'
is "$(each full.tape 'if ($r->{kind} eq "exchange") { $h{n}++;
    $h{bad}++ if defined $r->{retry_ns} &&
    $r->{retry_ns} - $r->{end_ns} != 100e6 }
    END { print "$h{n} ", $h{bad} // 0 }')" '6 0' \
    'three attempts each, as far apart as the bound says'

# Of several servers in turn, each request stays with its own.
serve first --fault 503:1/2
a=$at
serve second --fault 503:1/2
replay both --url "$a" --url "$at" --warmup 0 --retry 9 --retry-delay 0 \
    --retry-delay-max 0 closed.trace
stop
is "$(each both.tape 'if ($r->{kind} eq "exchange") {
    $h{t}{$r->{target}} = 1; $h{r}++ if $r->{attempt} > 1;
    $h{of}{$r->{id}}{$r->{target}} = 1 } END { print scalar(keys %{$h{t}}),
    " ", $h{r} > 20, " ", scalar grep { keys %$_ > 1 } values %{$h{of}} }')" \
    '2 1 0' 'each is sent again to the server that it had'

# Nobody listens, and then somebody does.
server_free
trace-serve -q --listen "127.0.0.1:$server_port" --for 1ms
at=127.0.0.1:$server_port
(
	sleep 0.5
	exec trace-serve -q --listen "$at" --log late.log
) &
pids="$pids $!"
replay late --url "$at" --model llmtape --warmup 0 --requests 3 --retry 100 \
    --retry-delay 50ms --retry-delay-max 50ms closed.trace
is "$code:$(last late.tape)" '0:3 done' 'a server that comes late is waited for'
stop
account late
ok $? 'and each refusal is recorded'

# An interrupt while attempts are waited for.
serve wait --fault 503:1
timeout -k 5 120 trace-replay -q -z 0 --request-id-header X-Request-ID \
    --url "$at" --warmup 0 --concurrency 5 \
    --retry 5 --retry-delay 60s --abort-after 0 closed.trace >wait.tape \
    2>wait.err &
pid=$!
has_five()
{
	has_lines 5 '"status":503' wait.log
}
wait_until has_five
kill -TERM $pid
wait $pid
is $? 0 'an interrupt ends the wait for attempts'
stop
account wait
ok $? 'and all of them are in the archive'
is "$(last wait.tape)" '5 cancelled unsent' 'as what they are'
tail -n 1 wait.tape | grep -q '"status":"interrupted"'
ok $? 'which is interrupted'

# Cancelled on purpose, the same ones in both arms.
serve one
a=$at
serve two
replay cancel --arm "A=$a" --arm "B=$at" --cancel-rate 25% --concurrency 6 \
    --rounds 2 closed.trace
is "$code" 0 'what is cancelled on purpose is no failure'
is "$(run_end cancel.tape failed)" 0 'nor counted as one'
stop
reduce cancel
is "$(each cancel.tape '$h{$r->{run}}{$r->{id}} = 1 if
    $r->{kind} eq "exchange" && defined $r->{cancel_ns};
    END { my %n; $n{join " ", sort keys %{$h{$_}}}++ for keys %h;
    print scalar(keys %n), " ", join " ", values %n }')" '1 4' \
    'the same requests in every run'
is "$(each cancel.tape '$h{n}++ if $r->{kind} eq "exchange" &&
    defined $r->{cancel_ns} && $r->{cancel_ns} < $r->{sent_ns};
    END { print $h{n} // 0 }')" 0 'none before it was sent'
check cancel cancelled | head -n 1 |
    grep -q 'of 60 were cancelled on purpose .*, planned 25.0 %'
ok $? 'metrics-reduce states the share'
is "$(each cancel.metrics '$h{$r->{status}}++ if $r->{kind} eq "check" &&
    ($r->{name} eq "errors" || $r->{name} eq "requests");
    END { print join ",", %h }')" 'ok,8' 'and misses nothing'

# Later than all answers: nothing is cut.
serve slow
replay_at slow --warmup 0 --cancel-rate 1 --cancel-after 60s open.trace
is "$code:$(last slow.tape)" '0:60 done' 'an answer may be quicker'
stop
# Sooner: all are.
serve quick --ttft 5s
replay_at quick --warmup 0 --cancel-rate 1 --cancel-after 1ms open.trace
is "$code:$(last quick.tape)" '0:60 cancelled planned' 'or not'
stop
account quick
ok $? 'and all is accounted for'

for bad in '--retry-on 429' '--cancel-after 1s' '--retry 1 --retry-on often' \
    '--retry 101' '--cancel-rate 2' '--retry 1 --retry-delay -1s'; do
	# shellcheck disable=SC2086
	replay bad --url "$at" $bad closed.trace
	is "$code" 2 "refused: $bad"
done

done_testing
