#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# trace-replay --keep: what the next tools make of it; how large the archive is;
# readers of the output that take nothing.
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

trace-gen -q --isl 10 --osl 40 --count 40 --no-host -o t.trace
server_start a.log --ttft 5ms --itl 1ms || exit 1

# replay OPTION ...: code in $code, errors in err.
replay()
{
	trace-replay --no-host --url "$server_url" --concurrency 8 "$@" \
	    t.trace 2>err
	code=$?
}

# field RECORD KEYS: of the last record of that kind in the file plain.
field()
{
	each plain '$h{v} = $r->'"$2"' // "none" if $r->{kind} eq "'"$1"'";
	    END { print $h{v} }'
}

# Whole, decoded, times.
for keep in raw events times; do
	replay --keep $keep -o $keep.tape </dev/null >/dev/null
	is "$code" 0 "$keep"
	size=$(wc -c <$keep.tape)
	grep -q "; $size bytes kept, [0-9.]* a read\$" err
	ok $? "the summary has the size of the file: $(cat err)"
	zstdcat $keep.tape >plain
	is "$(field run '{keep}')" $keep "the run says so"
	is "$(field fidelity '{archive}{bytes} < '"$size" | wc -c)" 1 \
	    "the fidelity record has a part of that"
	case $keep in
	events) ;;
	*) reads=$(each plain '$h{n} += @{$r->{reads}{t_ns}}
	    if $r->{kind} eq "exchange"; END { print $h{n} }') ;;
	esac
	[ $keep = events ] || is "$(field fidelity '{archive}{reads}')" "$reads" \
	    "and all reads"
done

zstdcat events.tape | head -n 1 >plain
is "$(field header '{format}') $(field header '{prov}[-1]{tool}')" \
    "llmtape.events trace-replay" "events come from trace-replay"
grep -q '"--keep","events"' plain
ok $? "as its provenance says"
sse-timestamp events.tape >out 2>err
is "$? $(cat err)" "3 sse-timestamp: events.tape:1: this is a llmtape.events \
stream, not the llmtape.wire stream that trace-replay makes: it is decoded \
already" "and is not decoded again"
sse-timestamp -q -z 0 raw.tape | grep '"kind":"response"' >later
zstdcat events.tape | grep '"kind":"response"' >now
is "$(each now '$h{n}++ if $r->{tokens}{output} == @{[grep { $_ eq "c" }
    split //, $r->{events}{class}]}; END { print $h{n} }')" 42 \
    "42 responses with their tokens"
# Lags are there when the kernel tells.
keys='print join(" ", grep { !/lag/ } sort(keys %$r), sort keys %{$r->{events}}),
    "\n" if !$r->{reused}'
is "$(each now "$keys" | sort -u)" "$(each later "$keys" | sort -u)" \
    "which have the fields that sse-timestamp gives them"
replay --keep events | metrics-reduce --format csv >summary.csv
is "$(grep -c ',ttft,ns,lower,start,40,0,' summary.csv)" 1 "straight into metrics-reduce"

zstdcat times.tape >plain
grep '"kind":"exchange"' plain | grep -q '"body'
is $? 1 "times: no body"
sse-timestamp times.tape | metrics-reduce --format table >table.txt
grep -q 'warn kept .*no ttft' table.txt
ok $? "what cannot be known is said"
is "$(awk '/^metric/ { exit } /kept/ { print "above" }' table.txt)" above \
    "above the numbers"
is "$(awk '$1 == "ttft" { print $3, $5 } $1 == "tpot" { print "made up" }' \
    table.txt)" "0 -" "there is no ttft"
is "$(awk '$1 ~ /^(tth|ttfb|latency|bytes)$/ && $2 != "due" { print $1, $3 }' table.txt |
    tr '\n' ' ')" "tth 40 ttfb 40 latency 40 bytes 40 " "but what can be known"
server_stop

# Failures: told with the server's words, which are not kept.
server_start b.log --fault 429:1/2 || exit 1
replay --keep times --model m --max-failed 50% -z 0 >plain
is "$code" 0 "half fail"
grep -q 'failed: HTTP 429: {"error"' err
ok $? "the first failure is told: $(head -n 1 err)"
is "$(each plain '$h{n}++ if $r->{kind} eq "exchange" && $r->{error} &&
    $r->{error}{class} eq "http" && $r->{error}{message} !~ /busy|limit|rate/;
    END { print $h{n} }')" 21 "what the server said is not kept"
is "$(sse-timestamp plain | metrics-reduce --format csv |
    grep -c ',latency,ns,lower,start,20,20,')" 1 "failures are counted"
server_stop

# A reader that is there and takes nothing: a pipe is full after 64 KiB.
server_start c.log --ttft 5ms --itl 1ms || exit 1
mkfifo pipe
deaf()
{
	perl -e 'open(my $p, "<", "pipe") or die; sleep 60' &
	reader=$!
	pids="$pids $reader"
}

deaf
replay -z 0 -o tee.tape --pipe-timeout 300ms >pipe
is "$code" 0 "beside an archive it is given up"
grep -q '^trace-replay: standard output: its reader took nothing for 0.3 s: it is given up, the archive ' err
ok $? "with a warning: $(head -n 1 err)"
is "$(sse-timestamp -q -z 0 tee.tape | grep -c '"kind":"response"')" 42 \
    "the archive is whole"
kill $reader

deaf
replay -z 0 --pipe-timeout 300ms >pipe
is "$code" 4 "alone it is the end"
is "$(grep -c 'standard output: its reader took nothing for 0.3 s' err)" 1 \
    "for a reason that is said once: $(cat err)"
kill $reader

# Without a bound, the second interrupt ends it.
# interrupted OPTION ...: all is answered, and waits for the reader; code in
# $code.
interrupted()
{
	server_stop
	server_start d.log --ttft 5ms --itl 1ms || exit 1
	deaf
	env --default-signal=INT trace-replay -z 0 --url "$server_url" \
	    --concurrency 8 --pipe-timeout 0 "$@" t.trace >pipe 2>err &
	pid=$!
	wait_until has_lines 42 '"path":"/v1/chat' d.log
	sleep 0.5
	kill -0 $pid
	ok $? "it waits"
	interrupt $pid
	interrupt $pid
	wait $pid
	code=$?
	kill $reader
}

interrupted -o int.tape
is "$code" 0 "until the second interrupt"
grep -q 'standard output: interrupted while its reader took nothing: it is given up' err
ok $? "which is said: $(head -n 1 err)"
is "$(sse-timestamp -q -z 0 int.tape | grep -c '"kind":"response"')" 42 \
    "the archive has all"
interrupted
is "$code" 4 "alone it is the end, too"
is "$(grep -c 'standard output: interrupted while its reader took nothing' err)" \
    1 "for that reason: $(tail -n 1 err)"
stop

done_testing
