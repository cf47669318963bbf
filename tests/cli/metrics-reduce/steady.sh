#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --steady: 20 of 100 are slow, and cut.  By hand: ttft is 100 ms, of all
# (20 * 500 + 80 * 100) / 100 = 180; latency 140, (20 * 620 + 80 * 140) / 100 =
# 236; tpot 20, (20 * 60 + 80 * 20) / 100 = 28; the window is from 20 s to
# 99.15 s.
make_run() { awk -f "$CLI/../support/steady.awk" "$@"; }
means()
{
	metrics-reduce -z 0 --steady "$@" | jq -c 'select(.kind == "summary" and
	    (.metric | . == "ttft" or . == "tpot" or . == "latency" or
	    . == "gap")) | [.metric, .n, .mean, .failed, .warmup_cut,
	    .drain_cut, .whole_n, .whole_mean, .flags]'
}
make_run -v slow=20 >slow
means slow
metrics-reduce -z 0 --steady slow | jq -c 'select(.metric ==
    "requests_per_s") | [.n, (.value * 79.15 * 1e6 | round), .window_start_ns,
    .window_end_ns]'
metrics-reduce --steady --format table slow | sed -n '/^  steady/,/^$/p'

echo 'in groups:'
metrics-reduce -z 0 --steady --by isl slow | jq -c 'select(.metric == "ttft" and
    .group) | [.group, .n, .mean, .warmup_cut]'

echo 'no warm-up:'
make_run >level
means level
echo 'drift:'
make_run -v drift=1 >drift
means drift | head -n 1
metrics-reduce --steady --format table drift | sed -n '/^  steady/,/^$/p'
echo 'too short:'
make_run -v requests=49 -v slow=9 >short
means short | head -n 1
metrics-reduce --steady --format table short | sed -n '/^  steady/,/^$/p'

# Full from 930 ms on, when slot 3 begins; at 3 s three requests are under way,
# of which the first was sent at 2910.  21 were sent before, 78 between, 3 then.
# In the window 4 are in flight all the time.
echo 'closed loop:'
make_run -v closed=4 >closed
means closed
metrics-reduce -z 0 --steady closed | jq -c 'select(.metric ==
    "requests_per_s" or .metric == "concurrency") | [.metric, .n, .value, .mean,
    .min, .window_start_ns, .window_end_ns]'
metrics-reduce --steady --format table closed | sed -n '/^  steady/,/^$/p'
echo 'never full:'
make_run -v closed=5 | metrics-reduce --steady --format table |
    sed -n '/^  steady/,/^$/p'

echo 'any order:'
for i in slow closed; do
	{
		head -n 2 $i
		sed '1,2d;$d' $i | shuf --random-source=slow
		tail -n 1 $i
	} >$i.mixed
	cmp -s $i $i.mixed && echo 'the order is the same'
	for format in stream json csv table 'table --wide --by isl'; do
		# shellcheck disable=SC2086
		metrics-reduce --no-host --steady --format $format <$i >a
		# shellcheck disable=SC2086
		metrics-reduce --no-host --steady --format $format \
		    <$i.mixed >b
		[ -s a ] && cmp a b && echo "$format"
	done
done

# Without the option nothing of it shows.
metrics-reduce -z 0 slow | grep -c -e _cut -e whole_
for with in '--slice 1s' '--definitions aiperf' '--import auto' --partial; do
	# shellcheck disable=SC2086
	metrics-reduce --steady $with slow 2>&1 | head -n 1
done

# Requests from the 120th on take 10 ms more from token to token, and one of
# five a little: a step, which is no slope, nor a warm-up.
echo 'a step:'
make_run -v requests=160 | jq -c 'if .events then (.id[1:] | tonumber) as $i |
    .events.t_ns |= [.[0], .[1] + (if $i >= 120 then 10000000 else 0 end) +
    $i % 5 * 100000, .[2] + (if $i >= 120 then 20000000 else 0 end) +
    $i % 5 * 200000] else . end' >step
metrics-reduce --steady --format table step | sed -n '/^  load/p
    /^  steady/,/^$/p'
metrics-reduce -z 0 --steady step | jq -c 'select(.metric == "tpot") |
    [.flags, .trend.step_at, .trend.before, .trend.after, .trend.step_p]'
metrics-reduce -z 0 --steady step | jq -r 'select(.trend) | .metric'
