#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Telemetry of a run, joined: recorded lines of nvidia-smi and of tegrastats, and
# a real exporter (Debian's prometheus-node-exporter), sampled while trace-replay
# plays against trace-serve; with the samples in a file of their own, and within
# the input.
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
pace='--ttft 20ms --itl 10ms'

cat >smi <<'END'
0, NVIDIA H100 80GB HBM3, 1755, 1980, 2619, 689.42, 700.00, 62, 71, 100, 54, 71234, 81559, P0, 0x0000000000000004
1, NVIDIA H100 80GB HBM3, 345, 1980, 2619, 71.03, 700.00, 31, 40, 0, 0, 4, 81559, P0, 0x0000000000000001
END
cat >tegra <<'END'
RAM 2468/7471MB (lfb 2x4MB) CPU [4%@729,off] GR3D_FREQ 99%@[612] cpu@48C GPU@51C VDD_IN 5000mW/4500mW
END

trace-gen -q --isl 16 --osl 20 --count 20 --no-host -z 0 >some.trace || exit 1
serve server
telemetry-sample -q --no-host -z 0 --every 50ms \
    --nvidia-smi='while cat smi; do sleep 0.05; done' \
    --tegrastats='while cat tegra; do sleep 0.05; done' \
    >samples 2>sample.err &
pids=$!
wait_until grep -q tegrastats samples
replay_at run --requests 20 --concurrency 2 some.trace
is $code 0 "a run"
sleep 0.2
kill $pids
wait $pids
pids=
sse-timestamp --no-host -z 0 run.tape >events 2>err
is $? 0 "its events"
metrics-reduce --no-host -z 0 --telemetry samples events >metrics 2>err
is $? 0 "with telemetry: $(cat err)"
each metrics 'if ($r->{kind} eq "telemetry") {
    my $k = ($r->{role} // $r->{name}) . ($r->{device} // "");
    $k .= "/$r->{source}" if $k eq "energy_per_token";
    $h{$k} = $r->{mean} // $r->{bits}; $h{n} = $r->{n} if !$h{n} ||
	$r->{n} < $h{n} } if ($r->{kind} eq "check") { $c{$r->{name}} =
    $r->{status} } if ($r->{kind} eq "summary" and $r->{metric} eq
    "output_tokens_per_s") { $h{rate} = $r->{value} }
    END { my $d = "0 NVIDIA H100 80GB HBM3"; print join(" ",
	$h{"clock$d"}, $h{"power$d"}, $h{"throttle$d"},
	$h{"clock1 NVIDIA H100 80GB HBM3"}, $h{power}, $h{temperature},
	$c{telemetry}, $c{throttled}, $h{n} > 3 ? "many" : $h{n},
	abs($h{"energy_per_token/tegrastats"} * $h{rate} / 5 - 1) < 1e-6,
	abs($h{"energy_per_token/nvidia-smi"} * $h{rate} / 760.45 - 1)
	    < 1e-6) }' >got
is "$(cat got)" "1755 689.42 4 345 5 51 ok warn many 1 1" \
    "what the devices did, and the energy of a token"

sse-timestamp --no-host -z 0 samples >first 2>err
cat first events | metrics-reduce --no-host -z 0 >within 2>err
grep '"kind":"telemetry"' metrics >a
grep '"kind":"telemetry"' within | cmp -s - a
ok $? "the same within the input"
metrics-reduce --format table --telemetry samples events >out 2>err
grep -q '^  devices   nvidia-smi 0 NVIDIA H100 80GB HBM3: 1755 MHz' out &&
    grep -q 'J per output token (tegrastats)' out
ok $? "and in a table"

exporter=$(command -v prometheus-node-exporter)
if [ -n "$exporter" ]; then
	server_free || exit 1
	"$exporter" --web.listen-address="127.0.0.1:$server_port" \
	    --collector.disable-defaults --collector.cpu \
	    --collector.meminfo --collector.loadavg >node.log 2>&1 &
	pids=$!
	page=127.0.0.1:$server_port/metrics
	wait_until curl -sf -o /dev/null "$page"
	telemetry-sample -q --no-host -z 0 --every 50ms --prometheus "$page" \
	    >node 2>sample.err &
	sampler=$!
	pids="$pids $sampler"
	wait_until grep -q node_load1 node
	replay_at next --requests 20 --concurrency 2 some.trace
	sleep 0.2
	kill $sampler
	wait $sampler
	sse-timestamp --no-host -z 0 next.tape >events 2>err
	metrics-reduce --no-host -z 0 --telemetry node events >metrics 2>err
	is $? 0 "a real exporter: $(cat err)"
	each metrics 'if ($r->{kind} eq "telemetry") { $h{$r->{name}} = $r }
	    if ($r->{kind} eq "check") { $c{$r->{name}} = $r->{status} }
	    END { my $cpu = $h{"node_cpu_seconds_total{cpu=\"0\",mode=\"idle\"}"};
	    my $mem = $h{node_memory_MemTotal_bytes}; print join(" ",
		$cpu->{type}, $cpu->{unit}, $cpu->{increase} >= 0 ? "grows" :
		"falls", $cpu->{per_s} < 2 ? "by time" : $cpu->{per_s},
		$mem->{type}, $mem->{min} == $mem->{max} && $mem->{min} > 1e6 ?
		"fixed" : "moves", $h{node_load1}{type},
		$cpu->{device} =~ /^127.0.0.1:\d+$/ ? "named" : "-",
		$c{telemetry}) }' >got
	is "$(cat got)" \
	    "counter s grows by time gauge fixed gauge named ok" \
	    "its counters and gauges"
else
	skip 2 "no prometheus-node-exporter"
fi
done_testing
