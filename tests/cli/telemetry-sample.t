#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# telemetry-sample against a real exporter (Debian's prometheus-node-exporter)
# and a page such as a server has; deadlines, ends, and what is left behind.
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

# sample NAME OPTION ...: into NAME.tape, plain.
sample()
{
	name=$1
	shift
	timeout 60 telemetry-sample --no-host -z 0 "$@" >"$name.tape" \
	    2>"$name.err"
	code=$?
}

samples()
{
	grep -c '"kind":"sample"' "$1.tape"
}

exporter=$(command -v prometheus-node-exporter)
if [ -n "$exporter" ]; then
	server_free || exit 1
	"$exporter" --web.listen-address="127.0.0.1:$server_port" \
	    --collector.disable-defaults --collector.cpu \
	    --collector.meminfo --collector.loadavg >node.log 2>&1 &
	pids=$!
	page=127.0.0.1:$server_port/metrics
	wait_until curl -sf -o /dev/null "$page"
	sample node --prometheus "$page" --every 100ms --for 1s
	is $code 0 "a real exporter"
	count=$(samples node)
	[ "$count" -ge 2 ] && [ "$count" -le 11 ]
	ok $? "pages at most each 100 ms of a second: $count"
	each node.tape 'if ($r->{kind} eq "sample") { $h{n}++;
	    $h{mem} += $r->{values}{node_memory_MemTotal_bytes} > 1e6;
	    $h{cpu} += exists $r->{values}{
		"node_cpu_seconds_total{cpu=\"0\",mode=\"idle\"}"};
	    $h{late} += $r->{t_ns} < $h{t}; $h{t} = $r->{t_ns} }
	    END { print join(" ", $h{mem} == $h{n}, $h{cpu} == $h{n},
	    $h{late} // 0) }' >got
	is "$(cat got)" "1 1 0" "what it says, in order"
	sample one --prometheus "$page" --match 'node_load*' --every 100ms \
	    --for 300ms
	each one.tape 'if ($r->{kind} eq "sample") {
	    $h{join(",", sort keys %{$r->{values}})}++ }
	    END { print join(";", keys %h) }' >got
	is "$(cat got)" "node_load1,node_load15,node_load5" "--match"
	trace-view one.tape >view 2>&1
	is $? 0 "trace-view reads it"
	grep -q 'sample' view
	ok $? "and counts it"
	zstd -q one.tape -o one.zst 2>/dev/null || cp one.tape one.zst
	sse-timestamp --no-host -z 0 one.zst >events 2>err
	is "$(grep -c '"kind":"sample"' events)" "$(samples one)" \
	    "sse-timestamp passes it on"
else
	skip 7 "no prometheus-node-exporter"
fi
stop

# A page that is late, an error, another page, and then none.
perl "$root/tests/support/pages.pl" port &
pids=$!
wait_for port
sample pages --prometheus "127.0.0.1:$(cat port)/m" --every 100ms --for 1s
is $code 0 "pages that are missed"
each pages.tape 'if ($r->{kind} eq "sample") { $h{v} .=
    $r->{values}{"vllm:num_requests_running{model_name=\"a\"}"}; push
    @{$h{t}}, $r->{t_ns} } END { printf "%s %d", $h{v},
    ($h{t}[2] - $h{t}[0]) / 1e8 + 0.5 }' >got
is "$(sed 's/ .*//' got)" 1236 "those that came"
[ "$(sed 's/.* //' got)" -ge 4 ]
ok $? "deadlines that have passed are left out: $(cat got)"
is "$(grep -c 'prometheus: ' pages.err)" 1 "what is wrong is said once"
grep -q 'samples did not come, 1 were not what they should be' pages.err
ok $? "and counted"
stop

# To be told is an end like any other, and the command's end, too.
command='echo $$ >command.pid; trap "" TERM; while :; do
    echo "RAM 1/2MB"; sleep 0.02; done'
telemetry-sample -q --no-host --tegrastats="$command" -o long.tape >/dev/null &
pids=$!
wait_until [ -s command.pid ]
wait_until grep -q . long.tape.partial
sleep 0.1
kill $pids
wait $pids
is $? 0 "told to end"
zstd -dcq long.tape >long.plain
is "$(tail -n 1 long.plain | sed 's/.*status":"//; s/".*//')" complete "whole"
kill -0 "$(cat command.pid)" 2>/dev/null
is $? 1 "a command that does not want to end is gone"
pids=

# A second of samples has a clock record, and a line too long is dropped.
sample clock --tegrastats='echo "RAM 1/2MB"; head -c 200000 /dev/zero |
    tr "\0" x; echo; echo "RAM 3/4MB"; sleep 1.2'
is "$code $(samples clock)" "0 2" "a line without end"
[ "$(grep -c '"kind":"clock"' clock.tape)" -ge 2 ]
ok $? "clock records"
if [ -w /dev/full ]; then
	telemetry-sample -q --tegrastats='yes "RAM 1/2MB" | head -n 100000' \
	    -z 0 >/dev/full 2>err
	is $? 4 "a full disk"
else
	skip 1 "no /dev/full"
fi
done_testing
