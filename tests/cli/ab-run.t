#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# analysis/ab-run: two deployments on one port, started anew for every run;
# interrupted and resumed; a server that dies; a device that gets warm.
# shellcheck disable=SC2012 # names of ours
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
# shellcheck source=tests/support/server.sh
. "$root/tests/support/server.sh"
scratch
# shellcheck disable=SC2154
cd "$tmp" || exit 1
run=$root/analysis/ab-run/run.sh
server_free
# shellcheck disable=SC2154
at=http://127.0.0.1:$server_port
trace-gen -q --isl 16 --osl 12 --count 6 >small.trace
# Long enough to be sampled.
trace-gen -q --isl 16 --osl 12 --count 40 >long.trace

# start.sh NAME OPTION ...: a deployment, which is counted.
cat >start.sh <<EOF
echo "\$1" >>"\$COUNT"
shift
exec trace-serve -q --listen $server_port --ttft 2ms --log - "\$@"
EOF
a='sh start.sh A --itl 2ms'
b='sh start.sh B --itl 4ms'

COUNT=one
export COUNT
"$run" --start-a "$a" --start-b "$b" --url "$at" --pairs 6 --primary itl \
    -o one.d small.trace >one.out 2>one.err
is "$? $(grep -c '^decode  *itl .*LOSS' one.out)" '1 1' \
    'twice as slow is a loss'
is "$(wc -l <one) $(grep -c A one)" '12 6' 'a server for every run'
is "$(awk '{ p = p $1 } NR % 4 == 0 { print (p == "ABBA" || p == "BAAB")
    p = "" }' one | paste -sd' ')" '1 1 1' 'in balanced blocks'
trace-serve -q --listen "$server_port" --for 1ms
is $? 0 'none of which is left'
is "$(zstdcat one.d/r*.tape | jq -r 'select(.kind == "run" and
    .at == "start") | .session' | sort -u | wc -l)" 1 'all in one session'
test -s one.d/r03-b.log
ok $? 'whose logs are kept'
COUNT=added
"$run" --start-a "$a" --start-b "$b" --url "$at" --pairs 7 --primary itl \
    -o one.d small.trace >more.out 2>more.err
is "$? $(wc -l <added) $(grep -c 'pair 7 of 7' more.err)" '1 2 2' \
    'one pair more'
"$run" --start-a "$a" --start-b "$a" --url "$at" -o one.d small.trace \
    >other.out 2>other.err
is "$? $(grep -c '^[<>] start_b' other.err)" '2 2' 'another plan is refused'

# Interrupted within the second pair.
COUNT=halved
"$run" --start-a "$a" --start-b "$b" --url "$at" --pairs 3 -o cut.d \
    small.trace >cut.out 2>cut.err &
pid=$!
tries=0
begun() { [ -e halved ] && [ "$(wc -l <halved)" -ge 4 ]; }
until begun || [ $tries -ge 600 ]; do
	sleep 0.05
	tries=$((tries + 1))
done
kill -s TERM $pid
wait $pid
is $? 143 'it can be stopped'
trace-serve -q --listen "$server_port" --for 1ms
is $? 0 'and leaves no server'
whole=$(ls cut.d/r*.metrics | wc -l)
first=$(cksum <cut.d/r01-a.metrics)
COUNT=resumed
"$run" --start-a "$a" --start-b "$b" --url "$at" --pairs 3 -o cut.d \
    small.trace >cut.out 2>cut.err
is "$? $(wc -l <resumed)" "1 4" "goes on with the pair that was not whole ($whole runs were)"
is "$(cksum <cut.d/r01-a.metrics)" "$first" 'and keeps the one that was'
is "$(sed -n '/^ab-compare/s/.*  \(3 pairs\).*/\1/p' cut.out)" '3 pairs' \
    'to compare all'

# A server that dies in a run, and one that never comes.
COUNT=dead
"$run" --start-a "$a" --start-b 'sh start.sh B --requests 5; echo gone; exit 9' \
    --url "$at" --pairs 1 --order fixed -o dead.d small.trace \
    >dead.out 2>dead.err
is "$? $(grep -c 'status 9 during r01-b' dead.err) $(grep -c '^gone' dead.err)" \
    '4 1 1' 'a server that dies ends it, and its last words are shown'
is "$(ls dead.d/*.metrics)" dead.d/r01-a.metrics 'with what was there'
"$run" --start-a 'exit 0' --start-b "$b" --url "$at" --pairs 1 -o none.d \
    small.trace -- --wait-timeout 300ms >none.out 2>none.err
is $? 4 'one that does not come, likewise'

# A device that is warmer before the second run, and cools; and one that stays.
cat >smi.sh <<'EOF'
n=$(cat reads 2>/dev/null || echo 0)
echo $((n + 1)) >reads
t=50
[ "$n" -lt 2 ] || [ "$n" -gt "$1" ] || t=70
while :; do
	echo "0, GPU, 1000, 1000, 2000, 100, 300, $t, 40, 50, 50, 1000, 8000, P0, 0x0"
	sleep 0.2
done
EOF
COUNT=warm
"$run" --start-a "$a" --aa --url "$at" --pairs 1 -o warm.d \
    --nvidia-smi='sh smi.sh 3' --settle 20 long.trace >warm.out 2>warm.err
is "$? $(grep -c 'waits: the device is at 70 degrees' warm.err)" '6 1' \
    'waits for a device to cool'
is "$(grep -c '^!.*goes on' warm.out)" 0 'which it does'
is "$(zstdcat warm.d/r01-a.metrics | jq -rs 'map(select(.kind == "telemetry"))
    | length > 0')" true 'and has its telemetry in the metrics'
rm -f reads
"$run" --start-a "$a" --aa --url "$at" --pairs 1 -o hot.d \
    --nvidia-smi='sh smi.sh 99' --settle 1 small.trace >hot.out 2>hot.err
is "$(grep -c '^! ab-run: goes on though the device is at 70' hot.out)" 1 \
    'one that does not is said below the table'

# A device that throttles whenever it is B's turn, by simulated telemetry.
cat >throttle.sh <<'EOF'
while :; do
	mhz=1980 why=0x0
	[ "$(tail -n 1 throttled 2>/dev/null)" != B ] || mhz=1410 why=0x4
	echo "0, GPU, $mhz, 1000, 2000, 100, 300, 50, 40, 50, 50, 1000, 8000, P0, $why"
	sleep 0.1
done
EOF
COUNT=throttled
"$run" --start-a "$a" --start-b 'sh start.sh B --itl 2ms' --url "$at" \
    --pairs 2 --nvidia-smi='sh throttle.sh' -o throttle.d long.trace \
    >throttle.out 2>throttle.err
is "$? $(grep -c '^! clock differs between the arms: A 1980 MHz' \
    throttle.out)" '6 1' \
    'a device that throttles under one arm has other clocks there'
is "$(grep -c '^! share of throttled samples differs between the arms: A 0 %' \
    throttle.out)" 1 'and a share of throttled samples'
is "$(awk '$3 == "B" && /:/ && $(NF - 2) < 1700 { n++ } END { print n + 0 }' \
    throttle.out)" 2 'which stand beside its runs'

# As many pairs as it takes.
COUNT=until
"$run" --start-a "$a" --start-b "$b" --url "$at" --until-decided --pairs 12 \
    --primary itl --margin 2% -o until.d small.trace >until.out 2>until.err
is "$? $(($(wc -l <until) < 24))" '1 1' 'ends when it is decided'

for words in '' '--start-a x --start-b y' '--start-a x --url z small.trace' \
    '--start-a x --aa --url z' '--start-a x --aa --url z none.trace' \
    '--start-a x --aa --url z --pairs 0 small.trace' \
    '--start-a x --aa --url z --pairs=4 small.trace' \
    '--start-a x --aa --url z --order any small.trace' \
    '--start-a x --aa --url z small.trace small.trace' \
    '--start-a x --aa --url z --bogus 1 small.trace' '--start-a'; do
	# shellcheck disable=SC2086
	"$run" $words -o misused >/dev/null 2>misuse.err
	is "$? $(wc -l <misuse.err)" '2 1' "misuse: $words"
done

done_testing
