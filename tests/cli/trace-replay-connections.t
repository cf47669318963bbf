#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# trace-replay: which connections are kept, where they come from, and whether
# this machine has enough of them.
#
# Perl programs stand in single quotes:
# shellcheck disable=SC2016,SC3045
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

# Two conversations of three turns, one after the other's turn, and two requests
# without a session.
cat >turns.trace <<'END'
{"kind":"header","format":"llmtape.trace","version":"1.0","epoch":"2026-03-01T12:00:00.000000000Z","epoch_mono":"0.000000000","run_id":"00000000000000000000000000000000","prov":[]}
{"kind":"request","id":"a1","session":"a","turn":1,"input":{"text":"a1"},"output_tokens":1}
{"kind":"request","id":"b1","session":"b","turn":1,"input":{"text":"b1"},"output_tokens":1}
{"kind":"request","id":"c1","input":{"text":"c1"},"output_tokens":1}
{"kind":"request","id":"a2","session":"a","turn":2,"after":["a1"],"input":{"text":"a2"},"output_tokens":1}
{"kind":"request","id":"b2","session":"b","turn":2,"after":["b1"],"input":{"text":"b2"},"output_tokens":1}
{"kind":"request","id":"c2","input":{"text":"c2"},"output_tokens":1}
{"kind":"request","id":"a3","session":"a","turn":3,"after":["a2"],"input":{"text":"a3"},"output_tokens":1}
{"kind":"request","id":"b3","session":"b","turn":3,"after":["b2"],"input":{"text":"b3"},"output_tokens":1}
{"kind":"end","records":8,"status":"complete"}
END

# says FILE TEXT NAME
says()
{
	grep -qF -e "$2" "$1"
	ok $? "$3"
}

# play NAME OPTION ...: against a server of its own, whose log is NAME.log; what
# is recorded is in NAME.tape.
play()
{
	name=$1
	shift
	perl "$root/tests/support/connections.pl" "$name.port" "$name.log" &
	pids="$pids $!"
	wait_for "$name.port"
	replay "$name" --warmup 0 --model m \
	    --url "127.0.0.1:$(cat "$name.port")" "$@" turns.trace
	stop
}

# used NAME: texts of the requests by connection, "a1,a2 b1" and so on; which
# goes first may differ.
used()
{
	perl -ne 'my ($n, undef, $t) = split;
	    push @{ $h{$n} }, $t;
	    END { print join " ", sort map { join ",", sort @$_ } values %h }' \
	    "$1.log"
}

# of NAME FIELD: of the run's record at its start.
of()
{
	each "$1.tape" 'use feature "say";
	    if ($r->{kind} eq "run" && $r->{at} eq "start") {
	    my $v = $r->{'"$2"'} // "absent";
	    say ref $v ? join(",", @$v) : $v }'
}

# --- which are kept ---------------------------------------------------------
play pooled
is "$code" 0 'connections from the pool'
is "$(used pooled)" 'a1,a2,a3,b1,b2,b3,c1,c2' 'one is enough for one at a time'
is "$(of pooled connections)" pooled 'the record says so'
is "$(of pooled sources)" absent 'and nothing of addresses'

play never --connections never
is "$code" 0 'a new connection each'
is "$(used never)" 'a1 a2 a3 b1 b2 b3 c1 c2' 'eight of them'
is "$(of never connections)" never 'the record says so'
is "$(each never.tape '$h{$r->{reused} ? "kept" : "new"}++
    if $r->{kind} eq "exchange";
    END { print join " ", map { "$_ $h{$_}" } sort keys %h }')" 'new 8' \
    'and so does each exchange'

play session --connections session
is "$code" 0 'a connection for each session'
is "$(used session)" 'a1,a2,a3 b1,b2,b3 c1 c2' \
    'which nobody else uses; without a session a new one'
is "$(of session connections)" session 'the record says so'

play again --connections session --loop --requests 16
is "$(used again)" \
    'a1,a2,a3 a1,a2,a3 b1,b2,b3 b1,b2,b3 c1 c1 c2 c2' \
    'the next pass has sessions of its own'

play rounds --connections session --rounds 2
is "$(used rounds)" \
    'a1,a2,a3 a1,a2,a3 b1,b2,b3 b1,b2,b3 c1 c1 c2 c2' \
    'and so has the next round'

# --- where they come from ---------------------------------------------------
play sources --connections never --source-address 127.0.0.2 \
    --source-address 127.0.0.3
is "$code" 0 'two local addresses'
is "$(perl -ane '$h{$F[1]}++; END { print join " ",
    map { "$_ $h{$_}" } sort keys %h }' sources.log)" \
    '127.0.0.2 4 127.0.0.3 4' 'are used in turn'
is "$(of sources sources)" '127.0.0.2,127.0.0.3' 'the record has them'

trace-replay -q --url 127.0.0.1:1 --source-address nowhere turns.trace \
    >/dev/null 2>err
is $? 2 'a name is no address'
says err nowhere 'which is said'

# --- what cannot be had -----------------------------------------------------
trace-replay -q --url https://127.0.0.1:1 --connections session turns.trace \
    >/dev/null 2>err
is $? 2 'sessions over TLS are refused'
says err 'works neither over TLS, through a proxy' 'which is said'
trace-replay -q --url 127.0.0.1:1 --proxy 127.0.0.1:2 --connections session \
    turns.trace >/dev/null 2>err
is $? 2 'and through a proxy'
trace-replay -q --url 127.0.0.1:1 --threads 2 --connections session \
    turns.trace >/dev/null 2>err
is $? 2 'and with several threads'
says err 'goes with one of --threads' 'which is said'

ports=$(awk '{ print $2 - $1 + 1 }' /proc/sys/net/ipv4/ip_local_port_range)
want=$((ports + 1))
if (ulimit -n $((want + 200))) 2>/dev/null; then
	(
		ulimit -n $((want + 200))
		trace-replay -q --url 127.0.0.1:1 --concurrency $want \
		    turns.trace >/dev/null 2>err
		echo $? >code
	)
	is "$(cat code)" 2 'more streams than local ports are refused'
	says err "needs more local ports than the $ports there are" \
	    'which is said'
	says err "give 2 of --source-address" 'and what helps'
else
	skip 3 'descriptors are too few to run out of ports'
fi

done_testing
