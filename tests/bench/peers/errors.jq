# SPDX-License-Identifier: GPL-3.0-or-later
# errors.jq: a client's records against the server's log, as one object.
#
#	jq -n --slurpfile log LOG -f errors.jq CLIENT.jsonl
#
# A record has id, ttft_s, and gaps_s or else itl_s, the mean of an answer; with
# error_s the errors of its events by the server's stamps.  The log is
# trace-serve's.  What an id matches is compared request by request: |error|;
# else only the distributions are.  In the result all times are in us.
def sum: reduce .[] as $x (0; . + $x);
def us: . * 1e9 | round / 1e3;
def quantile(q): if length == 0 then null else
    ((length - 1) * q) as $h | .[$h | floor] as $a |
    (.[$h | ceil] - $a) * ($h - ($h | floor)) + $a end;
def about: sort | {n: length, p50: quantile(0.5), p99: quantile(0.99),
    max: .[-1]} | map_values(if . == null then null else . end) |
    .p50 |= (if . then us else null end) |
    .p99 |= (if . then us else null end) |
    .max |= (if . then us else null end);
def mean: if length == 0 then null else (sum / length) end;
def sd: if length < 2 then null else mean as $m |
    (map(. - $m | . * .) | sum / (length - 1) | sqrt) end;
def dist: {n: length, mean: (if length > 0 then mean | us else null end),
    sd: (if length > 1 then sd | us else null end)} +
    (about | {p50, p99, max});

[inputs] as $client |
[$log[] | select(.outcome == "complete" and .t_first_ns != null and
    .output_tokens > 1)] as $served |
(reduce $served[] as $r ({}; .[$r.id] = {
    ttft_s: (($r.t_first_ns - $r.t_in_ns) / 1e9),
    itl_s: (($r.t_last_ns - $r.t_first_ns) / 1e9 / ($r.output_tokens - 1))
    })) as $truth |
[$client[] | . + {itl_s: (.itl_s // (.gaps_s | mean)),
    truth: $truth[.id // ""]}] as $all |
[$all[] | select(.truth != null)] as $matched |
[$client[] | .gaps_s // [] | .[]] as $gaps |
[$client[] | .error_s // [] | .[]] as $errors |
{requests: ($all | length), matched: ($matched | length),
 ttft: ([$all[].ttft_s] | dist),
 ttft_true: ([$truth[].ttft_s] | dist),
 ttft_error: ([$matched[] | .ttft_s - .truth.ttft_s | fabs] | dist),
 itl: ([$all[].itl_s | select(. != null)] | dist),
 itl_true: ([$truth[].itl_s] | dist),
 itl_error: ([$matched[] | select(.itl_s != null) |
    .itl_s - .truth.itl_s | fabs] | dist),
 gap: ($gaps | dist),
 gap_true: ([$client[] | .gaps_true_s // [] | .[]] | dist),
 event_error: ([$errors[] | fabs] | dist),
 server_late_max: ([$served[] | .late_max_ns / 1e9] | dist)}
