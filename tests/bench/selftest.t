#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The benches' own instruments, against figures that are known.
# shellcheck disable=SC1091,SC2154
root=$(cd "$(dirname "$0")/../.." && pwd)
: "${B:=$root/build/release}"
. "$root/tests/support/tap.sh"
scratch
pump=''

stop()
{
	[ -z "$pump" ] || kill "$pump"
	pump=''
}

# Two answers of three tokens, of which the first event is a role's.  Events are
# 1 us after their stamps by the kernel, 5 us by the user; one is merged, and
# 9 us late.
cat >"$tmp/events" <<'END'
{"kind":"header","format":"llmtape.events","version":"1.0","epoch":"2026-03-01T12:00:00.000000000Z","epoch_mono":"0.000000000","run_id":"t","prov":[]}
{"kind":"run","at":"start","run":1,"api":"chat","stream":true,"loop":"closed","start_ns":1000000}
{"kind":"response","x":1,"run":1,"id":"1","attempt":1,"pass":0,"stage":"measure","api":"chat","stream":true,"target":"http://127.0.0.1/","start_ns":2000000,"sent_ns":2010000,"end_ns":9000000,"status":200,"headers":[["x-request-id","1"]],"reads":4,"body_bytes":9,"events":{"t_ns":[1001000,2001000,3001000,4001000],"class":"rccc","clk":"kkkk","lag_ns":[4000,4000,4000,4000],"text_bytes":[0,1,1,1],"server_ns":[1000000,2000000,3000000,4000000],"server_late_ns":[10,20,30,40]}}
{"kind":"response","x":2,"run":1,"id":"2","attempt":1,"pass":0,"stage":"measure","api":"chat","stream":true,"target":"http://127.0.0.1/","start_ns":3000000,"sent_ns":3010000,"end_ns":9000000,"status":200,"headers":[["x-request-id","2"]],"reads":3,"body_bytes":9,"events":{"t_ns":[1001000,2001000,3009000,4001000],"class":"rccc","clk":"kkmu","lag_ns":[4000,4000,4000,-1],"text_bytes":[0,1,1,1],"server_ns":[1000000,2000000,3000000,4000000],"server_late_ns":[10,20,30,40]}}
{"kind":"response","x":3,"run":1,"id":"3","attempt":1,"pass":0,"stage":"measure","api":"chat","stream":true,"target":"http://127.0.0.1/","start_ns":3000000,"end_ns":9000000,"error":{"class":"reset"},"reads":0,"body_bytes":0,"events":{"t_ns":[],"class":"","clk":"","text_bytes":[]}}
{"kind":"fidelity","run":1,"verdict":"sound","reasons":[],"reads":{"lag_p50_ns":4000,"lag_p99_ns":4100},"cpu":{"loop_ns":500000}}
{"kind":"run","at":"end","run":1,"end_ns":11000000}
{"kind":"end","records":6,"status":"complete"}
END
cat >"$tmp/log" <<'END'
{"id":"1","n":1,"t_in_ns":2050000,"t_first_ns":4000000}
{"id":"2","n":2,"t_in_ns":3050000,"t_first_ns":5000000}
END
"$B/bench/event_error" -l "$tmp/log" "$tmp/events" >"$tmp/all"
ok $? 'a stream is read'

# field JQ WANT NAME: of what event_error said.
field()
{
	is "$(jq -c "$1" "$tmp/all")" "$2" "$3"
}

field '[.requests, .failed, .events]' '[3,1,6]' \
    'token events count, of answers that did not fail'
field '.best | [.n, .p50, .max]' '[6,1000,9000]' 'the times as they are used'
field '.kernel | [.n, .p50, .max]' '[4,1000,1000]' 'exact kernel times alone'
field '.user | [.n, .p50, .max]' '[6,5000,13000]' 'user times, of all'
field '[.k_ratio, .m_ratio, .u_ratio]' '[0.666667,0.166667,0.166667]' \
    'the shares of clocks'
field '.lag | [.n, .p50, .max]' '[5,4000,4000]' 'user minus kernel time'
field '.late | [.n, .max]' '[6,40]' 'the lateness of the server'
field '.ttft | [.n, .p50]' '[2,51000]' 'TTFT against the log'
field '.ttft_sent | [.n, .p50]' '[2,41000]' 'TTFT from sent_ns'
field '.ttft_first | [.n, .max]' '[2,1000]' 'the first event alone'
field '.gap | [.n, .p50, .max, .sd_server]' '[4,4000,8000,0]' \
    'gaps between tokens, against those of the stamps'
field '[.verdict, .loop_cpu_ratio, .own]' \
    '["sound",0.05,{"p50":4000,"p99":4100}]' 'what the run said of itself'
"$B/bench/event_error" -f 0.0035 -t 0.0045 "$tmp/events" >"$tmp/all"
field '.events' 2 'a window, from the start of the run'

"$B/bench/cost" -o "$tmp/cost" sh -c 'exit 7'
is "$?" 7 'cost: the status of the command'
is "$(jq -c '[.status, .cpu_s > 0, .maxrss_kb > 0]' "$tmp/cost")" \
    '[7,true,true]' 'cost: what it took'
"$B/bench/cost" -t 1 -o "$tmp/cost" sleep 20
is "$?" 143 'cost: ended when its time is over'

# Every event of every answer, however it was cut.
for load in '1 1' '20 1' '7 3000'; do
	port=$((10000 + ($$ * 43 + ${#load} * 7) % 20000))
	"$B/bench/event_pump" -p "$port" -P "$tmp/port" -k "${load% *}" -t 60 \
	    2>/dev/null &
	pump=$!
	for _ in $(seq 100); do
		[ ! -s "$tmp/port" ] || break
		sleep 0.05
	done
	"$B/bench/bare_reader" -p "$port" -n 5 -r 20 -e "${load#* }" \
	    >"$tmp/bare"
	is "$(jq -c '[.requests, .events]' "$tmp/bare")" \
	    "[20,$((20 * (${load#* } + 2)))]" \
	    "event_pump and bare_reader agree, ${load% *} a write"
	"$B/bench/bare_reader" -p "$port" -n 5 -r 20 -e "${load#* }" \
	    -w "$tmp/kept" >"$tmp/bare"
	is "$(zstdcat "$tmp/kept" | wc -c)" "$(jq .bytes "$tmp/bare")" \
	    "bare_reader -w keeps every byte, ${load% *} a write"
	stop
	wait
	rm -f "$tmp/port"
done

cat >"$tmp/client" <<'END'
{"id":"a","ttft_s":0.060,"gaps_s":[0.010,0.012],"error_s":[0.001,-0.002]}
{"id":"b","ttft_s":0.055,"itl_s":0.010}
{"id":"z","ttft_s":0.070,"gaps_s":[0.010]}
END
cat >"$tmp/log" <<'END'
{"id":"a","outcome":"complete","output_tokens":3,"t_in_ns":0,"t_first_ns":50000000,"t_last_ns":70000000,"late_max_ns":1000}
{"id":"b","outcome":"complete","output_tokens":3,"t_in_ns":0,"t_first_ns":50000000,"t_last_ns":70000000,"late_max_ns":3000}
{"id":"c","outcome":"refused"}
END
jq -n -c --slurpfile log "$tmp/log" -f "$root/tests/bench/peers/errors.jq" \
    "$tmp/client" >"$tmp/all"
field '[.requests, .matched, .ttft_true.mean]' '[3,2,50000]' \
    'a peer is matched by the ids'
field '.ttft_error | [.n, .mean, .max]' '[2,7500,10000]' 'its TTFT'
field '.itl_error | [.n, .p50, .max]' '[2,500,1000]' 'its mean of gaps'
field '[.gap.n, .event_error.max, .server_late_max.max]' '[3,2000,3]' \
    'its gaps, its events, and how late the server was'

# row JSON: the line of the table for it.
row()
{
	printf '{"bench":"x","date":"d","machine":"m","rows":[%s]}' "$1" |
	    jq -n -r -f "$root/tests/bench/lib/report.jq" | grep '^| q '
}

is "$(row '{"quantity":"q","value":5,"must":10,"goal":5,"unit":"us","runs":3}')" \
    '| q | 10 | 5 | 5 us | goal | 3 |' 'report: a goal is reached'
is "$(row '{"quantity":"q","value":7,"must":10,"goal":5,"unit":"us","runs":3}')" \
    '| q | 10 | 5 | 7 us | must | 3 |' 'report: a must is reached'
is "$(row '{"quantity":"q","value":7,"must":10,"more":true,"runs":3}')" \
    '| q | 10 | - | 7  | **missed** | 3 |' 'report: a must is missed'
is "$(row '{"quantity":"q","must":10,"goal":5,"unit":"us"}')" \
    '| q | 10 | 5 | - us | not measured | - |' 'report: nothing is made up'

# line BENCH ROWS RUNS PATTERN: of the table's lines, the last columns.
line()
{
	printf '{"bench":"%s","date":"d","machine":"m","rows":[%s],"runs":[%s]}' \
	    "$1" "$2" "$3" |
	    jq -n -r -f "$root/tests/bench/lib/report.jq" | grep "$4" |
	    sed 's/.*| \([^|]* | [^|]* | [^|]*\) |$/\1/'
}

is "$(line fidelity '{"cell":"1000 x 50, restart","gap":{"max":5000},"runs":3}' \
    '{"cell":"1000 x 50, restart","gap":{"max":5000}},
     {"cell":"1000 x 50, restart","gap":{"max":21000000}},
     {"cell":"other","gap":{"max":90000000}}' 'largest gap')" \
    '21000 us | **missed** | 3' 'report: the largest is that of all runs'
law='"cell":"poisson 100 auto","ad_p":0.5,"verdict":"v","runs":5'
is "$(line pacing "{$law,\"law_runs\":5,\"law_kept\":5}" '' Anderson)" \
    '0.5, v | must | 5' 'report: each run kept its law, or said that not'
is "$(line pacing "{$law,\"law_runs\":5,\"law_kept\":4}" '' Anderson)" \
    '0.5, v | **missed** | 5' 'report: one run broke its law, and said nothing'
is "$(line pacing "{$law,\"law_runs\":0,\"law_kept\":0}" '' Anderson)" \
    '0.5, v | not measured | 5' 'report: no run could be tested'
done_testing
