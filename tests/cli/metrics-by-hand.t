#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A run that is small enough to work out by hand: every metric that it has,
# against what follows from its times.  All are in ms from the run's beginning:
#
#	         due start ready sent head  token events           end
#	a          0     0    10   12   90  100 120 140 160 180    190
#	b         90   100   101  102  295  300 310 320 530        540
#	c        200   200   201  204  245  250 300 350 400        410
#	d        300   300                                         700
#
# a is on a new connection, that took 2 for dns, 3 to connect and 4 for TLS; it
# has 100 tokens of input, of which 40 are cached, where the trace had 80, and 5
# of output, as asked for, counted in each event; its events were read 1 to 5 us
# late.  b has 200 of input, none cached, as in the trace, and 8 of output of 10.
# c has 50 of input and 4 of output, the first two of reasoning.  d timed out.
# --slo ttft=150ms,tpot=40ms: a is good, b is late with its first token, c has a
# tpot of 150 / 3 = 50.
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
. "$root/tests/support/tap.sh"
scratch

ms()
{
	echo $(($1 * 1000000))
}

# response ID DUE START MEMBERS: of run 1; all times in MEMBERS are in ns.
response()
{
	printf '{"kind":"response","x":1,"run":1,"id":"%s","attempt":1,' "$1"
	printf '"api":"chat","stream":true,"due_ns":%s,' "$(ms "$2")"
	printf '"start_ns":%s,%s}\n' "$(ms "$3")" "$4"
}

# events CLASSES TIMES MORE: kernel times, in ms behind the start
events()
{
	printf '"events":{"class":"%s","clk":"%s","t_ns":[%s]%s}' "$1" \
	    "$(echo "$1" | tr cg k)" \
	    "$(echo "$2" | sed 's/[0-9][0-9]*/&000000/g; s/ /,/g')" "$3"
}

begin()
{
	printf '{"kind":"header","format":"llmtape.events","version":"1.1",'
	printf '"epoch":"2026-03-01T12:00:00.000000000Z","epoch_mono":'
	printf '"5.000000000","run_id":"hand","prov":[]}\n'
}

{
	begin
	response a 0 0 '"conn_ns":10000000,"dns_ns":2000000,"connect_ns":3000000,"tls_ns":4000000,"reused":false,"sent_ns":12000000,"head_ns":90000000,"end_ns":190000000,"status":200,"reads":5,"body_bytes":1000,"req":{"output_tokens":5,"input_tokens":80,"bytes":300},"tokens":{"input":100,"output":5,"cached":40,"source":"usage"},'"$(
	    events ccccc '100 120 140 160 180' \
		',"lag_ns":[1000,2000,3000,4000,5000],"out_tokens":[1,2,3,4,5]')"
	response b 90 100 '"conn_ns":101000000,"reused":true,"sent_ns":102000000,"head_ns":295000000,"end_ns":540000000,"status":200,"reads":2,"body_bytes":800,"req":{"output_tokens":10,"input_tokens":200,"bytes":700},"tokens":{"input":200,"output":8,"cached":0,"accepted":3,"rejected":1,"source":"usage"},'"$(
	    events cccc '200 210 220 430')"
	response c 200 200 '"conn_ns":201000000,"reused":true,"sent_ns":204000000,"head_ns":245000000,"end_ns":410000000,"status":200,"body_bytes":500,"req":{"output_tokens":4},"usage":{"seconds":0.5},"tokens":{"input":50,"output":4,"reasoning":2,"accepted":0,"rejected":2,"source":"usage"},'"$(
	    events ggcc '50 100 150 200')"
	response d 300 300 '"end_ns":700000000,"req":{"input_tokens":70},"error":{"class":"timeout"}'
	printf '{"kind":"end","records":4,"status":"complete"}\n'
} >"$tmp/events"

# What is to be, by hand.
#
# dist NAME SCALE VALUE...: the values of requests or gaps, times SCALE, in
# rising order; mean and quantiles are made of them below.
#
# curve NAME VALUE:MS...: in rising order of values, how long each held in the
# window of 530 ms, from the start of a to the last token event of b:
#
#	 from    to  open     prefill  decode  rates
#	    0   100  a        a                1000
#	  100   180  a b      b        a       1000 + 4/.08 = 50
#	  180   200  b        b                1000
#	  200   250  b c      b c              2000
#	  250   300  b c      b        c       1000 + 3/.15 = 20
#	  300   400  b c d    d        b c     7/.23 = 30.43 + 20
#	  400   530  b d      d        b       30.43
#
# for the prefill of a is 100 tokens in 100 ms, of b 200 in 200, of c 50 in 50:
# 1000 a second each, and of d nothing is known.
#
# run NAME N VALUE
#
# Gaps: a 20 20 20 20, b 10 10 210, c 50 50 50.  That of 210 is above ten times
# the median of b.  Fluidity: a is in time with all.  b is 50 late with its
# first event: 1 + floor(50 / 40) = 2 missed; then 30 are saved twice; 210 is
# 110 late: 1 + floor(110 / 40) = 3 missed, in all 5 of 7.  c is 100 early, and
# gives 10 of that away at each gap.  The least even pace at which a tenth at
# most is late is 20 ms for a, 230 / 3 for b, 50 for c.
cat >"$tmp/want" <<'END'
dist ttft 1e6 50 100 200
dist ttst 1e6 100 120 210
dist ttfo 1e6 100 150 200
dist tth 1e6 45 90 195
dist ttfb 1e6
dist latency 1e6 180 200 430
dist tpot 1e6 20 230/7 50
dist decode_duration 1e6 80 150 230
dist gap 1e6 10 10 20 20 20 20 50 50 50 210
dist token_gap 1e6 20 20 20 20
dist gap_mean 1e6 20 50 230/3
dist gap_max 1e6 20 50 210
dist stalls 1 0 0 1
dist stall_time 1e6 0 0 210
dist fluidity 1 2/7 1 1
dist fluid_tokens_per_s 1 3000/230 20 50
dist ttft_due 1e6 50 100 210
dist latency_due 1e6 180 200 440
dist late 1e6 0 0 10
dist lag_mean 1 3000
dist lag_max 1 5000
dist http_blocked 1e6 1 1 1
dist http_dns 1e6 2
dist http_connect 1e6 3
dist http_tls 1e6 4
dist http_sending 1e6 1 2 3
dist http_waiting 1e6 41 78 193
dist http_receiving 1e6 100 165 245
dist http_total 1e6 190 210 440
dist http_setup 1e6 1 1 10
dist http_duration 1e6 180 209 439
dist input_tokens 1 50 100 200
dist output_tokens 1 4 5 8
dist cached_tokens 1 0 40
dist reasoning_tokens 1 2
dist answer_tokens 1 2
dist accepted_tokens 1 0 3
dist rejected_tokens 1 1 2
dist accepted_ratio 1 0 3/4
dist audio_duration 1e6 500
dist audio_speed_ratio 1 500/200
dist input_diff_ratio 1 0 20/80
dist output_diff_ratio 1 -2/10 0 0
dist cached_ratio 1 0 40/100
dist reasoning_ratio 1 2/4
dist token_events 1 4 4 5
dist tokens_per_event 1 1 1 8/4
dist bytes 1 500 800 1000
dist request_bytes 1 300 700
dist reads 1 2 5
dist tokens_per_s_per_user 1 20 7000/230 50
dist prefill_tokens_per_s_per_user 1 1000 1000 1000
dist e2e_tokens_per_s 1 8000/430 4000/200 5000/180
curve concurrency 1:120 2:310 3:100
curve prefill_concurrency 1:480 2:50
curve decode_concurrency 0:170 1:260 2:100
curve tokens_in_flight 100:100 200:20 208:130 250:50 254:50 262:100 305:80
curve effective_prefill_tokens_per_s 0:230 1000:250 2000:50
curve effective_decode_tokens_per_s 0:170 20:50 7000/230:130 50:80 11600/230:100
curve effective_total_tokens_per_s 7000/230:130 11600/230:100 1000:120 1020:50 1050:80 2000:50
curve effective_prefill_tokens_per_s_per_user 0:230 1000:300
curve effective_decode_tokens_per_s_per_user 0:170 20:50 5800/230:100 7000/230:130 50:80
curve active_prefill_tokens_per_s 0:230 1000:250 2000:50
curve active_decode_tokens_per_s 20:50 7000/230:130 50:80 11600/230:100
curve active_total_tokens_per_s 7000/230:130 11600/230:100 1000:120 1020:50 1050:80 2000:50
curve active_prefill_tokens_per_s_per_user 0:230 1000:300
curve active_decode_tokens_per_s_per_user 20:50 5800/230:100 7000/230:130 50:80
run requests_per_s 3 3/.53
run output_tokens_per_s 3 17/.53
run input_tokens_per_s 3 350/.53
run total_tokens_per_s 3 367/.53
run good_requests_per_s 3 1/.53
run good_ratio 4 1/4
run good_output_tokens_per_s 3 5/.53
run failed_ratio 4 1/4
run connect_failed_ratio 4 0
run timeout_ratio 4 1/4
run http_failed_ratio 4 0
run stream_failed_ratio 4 0
run other_failed_ratio 4 0
run stalled_ratio 3 1/3
run reused_ratio 3 2/3
run run_cached_ratio 2 40/300
run run_reasoning_ratio 1 2/4
run acceptance_ratio 3 3/6
run output_mismatches 3 1
run requests 4 3
run good_requests 4 1
run failed_requests 4 1
run sum_input_tokens 3 350
run sum_output_tokens 3 17
run sum_total_tokens 3 367
run sum_cached_tokens 2 40
run sum_reasoning_tokens 1 2
run sum_failed_input_tokens 1 70
run window 3 530e6
END

# Reads want, then the CSV; says what differs, by name.
cat >"$tmp/compare.awk" <<'AWK'
function value(text,  part)
{
	return split(text, part, "/") == 2 ? part[1] / part[2] : text + 0
}
function differs(got, want)
{
	if (got == "")
		return 1
	return (got > want ? got - want : want - got) > \
	    5e-7 * ((want > 0 ? want : -want) + 1e-3)
}
function check(name, what, want)
{
	compared++
	if (differs($(column[what]), want))
		print name " " what ": " $(column[what]) ", not " want
}
function check_values(name,  n, i, v, sum, squares)
{
	n = split(values[name], v, " ")
	check(name, "n", n)
	if (n == 0)
		return
	for (i = 1; i <= n; i++) {
		v[i] = value(v[i]) * scale[name]
		sum += v[i]
	}
	for (i = 1; i <= n; i++)
		squares += (v[i] - sum / n) ^ 2
	check(name, "mean", sum / n)
	if (n > 1)
		check(name, "sd", sqrt(squares / (n - 1)))
	check(name, "min", v[1])
	check(name, "max", v[n])
	for (i in level)
		check(name, i, between(v, (n - 1) * level[i]))
}
# Type 7: at that rank from 0, linear between values.
function between(v, h,  lo)
{
	lo = int(h)
	return h > lo ? v[lo + 1] + (h - lo) * (v[lo + 2] - v[lo + 1]) : \
	    v[lo + 1]
}
function check_curve(name,  n, i, l, v, ms, part, all, sum, squares, so_far)
{
	n = split(values[name], v, " ")
	for (i = 1; i <= n; i++) {
		split(v[i], part, ":")
		v[i] = value(part[1])
		ms[i] = part[2]
		all += ms[i]
		sum += v[i] * ms[i]
	}
	if (all != (name ~ /^active_decode/ ? 360 : 530))
		print name ": " all " ms"
	for (i = 1; i <= n; i++)
		squares += (v[i] - sum / all) ^ 2 * ms[i]
	check(name, "mean", sum / all)
	check(name, "sd", sqrt(squares / all))
	check(name, "min", v[1])
	check(name, "max", v[n])
	for (l in level) {
		so_far = ms[1]
		for (i = 1; so_far < level[l] * all; i++)
			so_far += ms[i + 1]
		check(name, l, v[i])
	}
}
BEGIN {
	level["p10"] = .1
	level["p25"] = .25
	level["p50"] = .5
	level["p75"] = .75
	level["p90"] = .9
	level["p95"] = .95
}
FNR == NR {
	kind[$2] = $1
	scale[$2] = $3
	first = $1 == "curve" ? 3 : 4
	for (i = first; i <= NF; i++)
		values[$2] = values[$2] " " $i
	next
}
FNR == 1 {
	FS = ","
	$0 = $0
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}
{
	name = $(column["metric"])
	seen[name] = 1
	if (kind[name] == "dist")
		check_values(name)
	else if (kind[name] == "curve")
		check_curve(name)
	else if (kind[name] == "run") {
		check(name, "n", scale[name])
		check(name, "value", value(substr(values[name], 2)))
	} else
		print name ": not worked out"
}
END {
	for (name in kind)
		if (!(name in seen))
			print name ": not there"
	print (compared > 500 ? "all" : "only " compared) " compared"
}
AWK

metrics-reduce --slo ttft=150ms,tpot=40ms --format csv "$tmp/events" \
    >"$tmp/csv" 2>"$tmp/err"
ok $? 'reduces'
is "$(awk -f "$tmp/compare.awk" "$tmp/want" "$tmp/csv" | sort)" 'all compared' \
    'every number is that worked out by hand'

# The same numbers in the table, where a p99 is not to be had of three values.
# 3 of the 17 tokens shared an event of b, as one of 8 may be the silent last.
metrics-reduce --slo ttft=150ms,tpot=40ms --format table "$tmp/events" |
    sed -n '/^metric/,/^+/p' | tr -s ' ' | sed 's/ $//' >"$tmp/table"
is "$(sed '/^n.a:/d' "$tmp/table")" 'metric unit n failed avg p50 p90 p99 max
ttft ms 3 1 116.7 100.0 180.0 n/a 200.0
ttfo ms 3 1 150.0 150.0 190.0 n/a 200.0
latency ms 3 1 270.0 200.0 384.0 n/a 430.0
tpot (itl) ms 3 1 34.29 32.86 46.57 n/a 50.00
gap+ ms 10 1 46.00 20.00 66.00 n/a 210.00
token gap ms 4 1 20.00 20.00 20.00 n/a 20.00
ttft due ms 3 1 120.0 100.0 188.0 n/a 210.0
latency due ms 3 1 273.3 200.0 392.0 n/a 440.0
late ms 3 1 3.33 0.00 8.00 n/a 10.00
input tokens 3 1 116.7 100.0 180.0 n/a 200.0
output tokens 3 1 5.7 5.0 7.4 n/a 8.0
cached tokens 2 1 20.0 20.0 36.0 n/a 40.0
reasoning tokens 1 1 2.0 2.0 2.0 n/a 2.0
accepted tokens 2 1 1.5 1.5 2.7 n/a 3.0
rejected tokens 2 1 1.5 1.5 1.9 n/a 2.0
tok/s/user /s 3 1 33.48 30.43 46.09 n/a 50.00
per second: 5.660 requests, 32.08 output, 660.4 input, 692.5 total tokens
good: 25.00 %, 1.887 per second (ttft <= 150 ms, tpot <= 40 ms)
failed: 1 of 4 (25.00 %), in no row above
+: between chunks: 17.6 % of the tokens shared an event' \
    'so is every number of a table'

# 101 tokens, of which the last comes 1582 ms behind the first: 15.82 ms, and
# 1000 / 15.82 = 63.21 a second.
{
	begin
	response a 0 0 '"end_ns":1700000000,"status":200,"tokens":{"output":101,"source":"usage"},'"$(
	    events cc '100 1682')"
	printf '{"kind":"end","records":1,"status":"complete"}\n'
} >"$tmp/one"
is "$(metrics-reduce --format table "$tmp/one" | tr -s ' ' |
    sed -n 's/^\(tpot (itl) ms\|tok\/s\/user \/s\) 1 0 \([0-9.]*\) .*/\1 \2/p')" \
    'tpot (itl) ms 15.82
tok/s/user /s 63.21' 'an ITL of 15.82 ms is 63.21 tokens a second'
done_testing
