#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Whatever a server, the trace's writer or the output's reader does or leaves,
# trace-replay ends, and what was begun is in the archive exactly once: servers
# that keep their clients waiting (tests/support/hold.pl), and interrupts at
# random instants.
#
# Perl programs stand in single quotes, and functions are called by name:
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

trace-gen -q --isl 6 --osl 4 --count 12 --no-host -o few.trace || exit 1
trace-gen -q --isl 6 --osl 4 --count 4000 --no-host -o many.trace || exit 1

# hold MODE: such a server; its address is in $at.
hold()
{
	"$root/tests/support/hold.pl" "$1" "$1.port" &
	pids="$pids $!"
	wait_for "$1.port"
	at=127.0.0.1:$(cat "$1.port")
}

# begin NAME OPTION ...: a replay in the background; its process is in NAME.pid.
begin()
{
	name=$1
	shift
	env --default-signal=INT trace-replay -q -z 0 --no-host --warmup 0 \
	    --request-id-header X-Request-ID --concurrency 4 --abort-after 0 \
	    --max-failed 100% "$@" >"$name.tape" 2>"$name.err" &
	echo $! >"$name.pid"
	pids="$pids $!"
}

# is_over NAME: whether it has ended.
is_over()
{
	! grep -q '^State:[[:space:]]*[^Z[:space:]]' \
	    "/proc/$(cat "$1.pid")/status" 2>/dev/null
}

# catches NAME: whether it has begun, and takes interrupts.
catches()
{
	grep -q '^SigCgt:.*[2367abef]$' "/proc/$(cat "$1.pid")/status" 2>/dev/null
}

# signal NAME: an interrupt, after which the process has it.
signal()
{
	interrupt "$(cat "$1.pid")"
}

# ended NAME CLASSES: it ends by itself, with a whole tape, in which exchanges
# have these classes.
ended()
{
	wait_until is_over "$1"
	wait "$(cat "$1.pid")"
	is "$(tail -n 1 "$1.tape" | cut -c 1-14)" '{"kind":"end",' \
	    "$1: it ends, with a whole tape"
	is "$(each "$1.tape" '$h{$r->{error}{class} // "none"} = 1 if
	    $r->{kind} eq "exchange"; END { print join " ", sort keys %h }')" \
	    "$2" "$1: with these classes"
	is "$(each "$1.tape" 'our ($n, %id); $n = $r->{sent} if
	    $r->{kind} eq "run" && $r->{at} eq "end";
	    $id{$r->{id}}++ if $r->{kind} eq "exchange";
	    END { print $n == keys %id && !grep { $_ > 1 } values %id }')" 1 \
	    "$1: each request that was sent, once"
}

# Every bound in time is short: each request fails.  They are long, and the run
# has an end.  There is none, and it is interrupted; or twice, when the grace is
# long, too.
for mode in deaf mute drip open tls; do
	hold $mode
	url=$at
	[ $mode = tls ] && url=https://$at
	begin $mode-short --url "$url" --model m --connect-timeout 300ms \
	    --first-byte-timeout 300ms --idle-timeout 300ms --timeout 2s few.trace
	begin $mode-grace --url "$url" --model m --duration 300ms --grace 300ms \
	    few.trace
	begin $mode-int --url "$url" --model m --grace 300ms few.trace
	begin $mode-twice --url "$url" --model m --grace 1h few.trace
done
# What they ask the server about itself takes 2 seconds, twice.
sleep 5
for mode in deaf mute drip open tls; do
	signal $mode-int
	signal $mode-twice
	signal $mode-twice
done
for mode in deaf mute drip open tls; do
	ended $mode-short timeout
	ended $mode-grace cancelled
	ended $mode-int cancelled
	ended $mode-twice cancelled
done
stop

# The trace's writer leaves its pipe open: what is wanted of it is played.
mkfifo trace
serve pipe --ttft 1ms --itl 0
{
	zstdcat few.trace | sed '/"kind":"end"/d'
	exec sleep 600
} >trace &
pids="$pids $!"
begin pipe --url "$at" --requests 12 trace
ended pipe none
is "$(run_end pipe.tape 'done')" 12 'all that was wanted was played'
# Nobody opens it at all: the system waits for that, until an interrupt.
mkfifo nobody
begin nobody --url "$at" nobody
wait_until catches nobody
signal nobody
wait_until is_over nobody
ok $? 'nobody opens the trace: an interrupt ends the wait'
stop

# Interrupts at random instants: what was begun is there, once, and the server
# has seen nothing else.
RUNS=${BOUNDS_RUNS:-12}
wrong=0
some=0
i=0
while [ $i -lt "$RUNS" ]; do
	i=$((i + 1))
	# shellcheck disable=SC2086
	serve int --ttft 2ms,2ms --itl 1ms --fault 503:10% --fault reset:10%
	begin int --url "$at" --grace 100ms --retry 2 --retry-delay 20ms \
	    --threads $((1 + i % 2)) --cancel-rate 10% --cancel-after 2ms many.trace
	wait_until catches int
	sleep "$(awk -v s="$$$i" 'BEGIN { srand(s); print 0.5 * rand() }')"
	signal int
	wait_until is_over int
	wait "$(cat int.pid)"
	stop
	"$root/tests/support/account.pl" int.tape int.log >int.account || {
		sed 's/^/# /' int.account | head -n 20
		wrong=$((wrong + 1))
	}
	tail -n 1 int.tape | grep -q '^{"kind":"end",.*"status":"interrupted"}' ||
	    wrong=$((wrong + 1))
	grep -q '"kind":"exchange"' int.tape && some=$((some + 1))
done
is $wrong 0 "$RUNS interrupts: all that was begun is accounted for, once"
ok $((some == 0)) "$some of them in mid-play"

done_testing
