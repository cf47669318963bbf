# SPDX-License-Identifier: GPL-3.0-or-later
# report.jq: the results of all benches as the tables of RESULTS.md.
#
#	jq -n -r -f report.jq DIR/*.json
#
# A row says what was asked for, what was measured (a median over n runs unless
# said), and which of the two was reached.  A row without a result says so.
# A row of any bench that has quantity, value, unit, must, goal, and more if more
# is better, becomes a line, too.
def digits: if . == null then "-"
    elif fabs >= 100 then round | tostring
    elif fabs >= 10 then . * 10 | round / 10 | tostring
    elif fabs >= 1 then . * 100 | round / 100 | tostring
    else . * 10000 | round / 10000 | tostring end;
def us: if . == null then null else . / 1000 end;
def show: if type == "number" then digits elif . == null then "-"
    elif type == "array" then map(show) | join(" / ") else tostring end;
def list: if type == "array" then . else [.] end;

# up: more is better.  Each of several values has to reach its own bound.
def reached(bound; up): [., (bound | list)] | transpose |
    map(if .[1] == null then true elif up then .[0] >= .[1]
        else .[0] <= .[1] end) | all;
def verdict(must; goal; up): list |
    if any(. == null) then "not measured"
    elif must == null and goal == null then "-"
    elif goal != null and reached(goal; up) then "goal"
    elif reached(must; up) then "must"
    else "**missed**" end;
def line(name; unit; must; goal; value; up; n):
    value as $v | must as $m | goal as $g | up as $up |
    "| \(name) | \($m | show) | \($g | show) | \($v | show) \(unit) | " +
    "\($v | verdict($m; $g; $up)) | \(n // "-") |";
def below(name; unit; must; goal; value; n):
    line(name; unit; must; goal; value; false; n);
def above(name; unit; must; goal; value; n):
    line(name; unit; must; goal; value; true; n);

[inputs] as $all |
(reduce $all[] as $f ({}; .[$f.bench] = $f)) as $by |
def rows(bench): $by[bench].rows // [];
def row(bench; cell): rows(bench) | map(select(.cell == cell)) | .[0];
# The largest of all runs of a row.
def worst(bench; cell; f): [$by[bench].runs[]? | select(.cell == cell) | f] |
    max;
def starting(bench; text): rows(bench) |
    map(select(.cell | startswith(text))) | .[0];
# Rates are asked of the whole process, and of what keeps the events: what its
# network loop takes alone, or without keeping them, is not judged by that.
def cells: rows("fidelity") | map(select(.cell | startswith("5000 x 100")
    | not));
# The bounds hold to 1,000 streams, in arrivals and steps that go on.
def bounded: .cell | test("^(5000|10000) |restart") | not;
def busy: cells | map(select(.cell | endswith("busy core")));
def quiet: cells | map(select(.cell | endswith("busy core") | not));

"## Benches",
"",
"| bench | commit | date (UTC) | load before the end |",
"| --- | --- | --- | --- |",
($all | sort_by(.date)[] |
    "| \(.bench) | \(.commit) | \(.date) | \(.load) |"),
"",
"Machine: \($all | map(.machine) | unique | join("; ")).",
"",
"## Asked for, and measured",
"",
"| quantity | must | goal | measured | reached | n |",
"| --- | --- | --- | --- | --- | --- |",
(quiet[] | below("\(.cell): event time against the stamp, p50 / p99"; "us";
    if bounded then [10, 50] else null end;
    if bounded then [3, 10] else null end;
    [.best.p50, .best.p99] | map(us); .runs)),
(busy[] | below("\(.cell): the same, p99"; "us"; 100; 20; .best.p99 | us;
    .runs)),
(row("fidelity"; "1000 x 100, staggered") |
    below("1,000 x 100: TTFT error, p99, sending inside"; "us"; 1000; 50;
        .ttft.p99 | us; .runs),
    below("1,000 x 100: sd of the gaps' error"; "us"; 100; 10;
        .gap.sd_diff | us; .runs)),
(cells[] | below("\(.cell): events marked m"; "%";
    if bounded then 1 else null end; if bounded then 0.1 else null end;
    if .m_ratio then .m_ratio * 100 else null end; .runs)),
(row("fidelity"; "1000 x 50, restart") | . as $row | below(
    "1,000 streams that end and begin together: largest gap error, of all runs";
    "us"; 20000; 1000; worst("fidelity"; $row.cell; .gap.max) | us; .runs)),
(starting("fidelity"; "5000 x 100") |
    "| 5,000 x 100: the run's own verdict | client-limited | | \(.verdict) | \(if .verdict == null then "not measured" elif .verdict == "client-limited" then "must" else "**missed**" end) | \(.runs // "-") |"),
(cells[] | select(bounded and (.cell | test("^1000? x "))) |
    [.own_p50_ratio, .own_p99_ratio] as $r |
    "| \(.cell): user - kernel over user - stamp, p50 / p99 | 0.8 to 1.2 | | \($r | show) | \(if any($r[]; . == null) then "not measured" elif all($r[]; . >= 0.8 and . <= 1.2) then "must" else "**missed**" end) | \(.runs) |"),
(rows("throughput")[] | select(.cell | startswith("keep-alive") | not) |
    above("\(.cell): events per CPU-s to a bare reader, whole process"; "";
        0.5; 0.8; .ratio; .runs),
    above("\(.cell): the same, network loop alone"; ""; null; null;
        .loop_ratio; .runs),
    (select(.keeping_ratio) |
    above("\(.cell): whole process to a bare reader that keeps every byte";
        ""; null; null; .keeping_ratio; .runs),
    above("\(.cell): that reader to the one that keeps nothing"; "";
        null; null; .keeping_bare_ratio; .runs))),
(rows("throughput")[] | select(.cell | startswith("merged")) |
    (.cell | endswith("raw")) as $raw |
    above("\(.cell): recorded to compressed JSONL per CPU-s"; "M";
        if $raw then 1 else null end; if $raw then 3 else null end;
        .per_cpu_s / 1e6; .runs)),
(rows("throughput")[] | select(.cell | startswith("keep-alive")) |
    below("\(.cell): CPU of each, whole process"; "us"; 42; 10; .us; .runs),
    below("\(.cell): the same, network loop alone"; "us"; null; null;
        .loop_us; .runs)),
(rows("pacing")[] | select(.cell | test(" 1000 auto$")) |
    below("\(.cell): lateness of sends, p99"; "us"; 200; 20; .p99_us; .runs)),
(rows("pacing")[] | select(.cell | test("^poisson .* auto$")) |
    "| \(.cell): p of Anderson-Darling for its law, in each run | 0.01, or client-limited | | \(.ad_p | show), \(.verdict) | \(if (.law_runs // 0) == 0 then "not measured" elif .law_kept == .law_runs then "must" else "**missed**" end) | \(.runs) |"),
(starting("pipeline"; "archive") |
    below("archive, bytes an event, one event a read"; ""; 24; 12; .bytes;
        .runs)),
(rows("memory")[] | select(.kb_per_stream != null) |
    below("\(.cell): resident memory of each"; "KiB"; 40; 20; .kb_per_stream;
        .runs)),
(starting("memory"; "10000 ") |
    above("10,000 streams: open at once"; ""; 10000; null; .open; .runs),
    below("10,000 streams: failed"; ""; 0; 0; .failed; .runs)),
(row("neighbour"; "decoding") |
    below("tokens/s that a server loses to trace-replay against curl, upper end of 95 %"; "%"; 0.5; null; .hi_percent; if .pairs then "\(.pairs) pairs" else null end)),
(row("pipeline"; "sse-timestamp") |
    above("wire to events, per CPU-s"; "M"; 0.5; 1.5;
        if .per_cpu_s then .per_cpu_s / 1e6 else null end; .runs)),
(row("pipeline"; "metrics-reduce") |
    above("events to metrics, per CPU-s"; "M"; 2; 5;
        if .per_cpu_s then .per_cpu_s / 1e6 else null end; .runs)),
($all[].rows[] | select(.quantity != null) |
    line(.quantity; .unit // ""; .must; .goal; .value; .more == true; .runs)),
"",
(if rows("peers") | length > 0 then
"## The peers on the same server",
"",
"Times in us; TTFT error is |exported - the server's own|, by request; itl is",
"the mean of an answer; the server's cadence has no deviation, by the stamps",
"where a client keeps them.",
"",
"| streams x tokens/s | client | TTFT error mean / p99 | itl error p50 / p99 | gap sd (by stamps) | gap p99 | events against stamps p50 / p99 | CPU-s | requests | n |",
"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
(rows("peers")[] | "| \(.load) | \(.version) | \([.ttft_error.mean, .ttft_error.p99] | show) | \([.itl_error.p50, .itl_error.p99] | show) | \(.gap.sd | show) (\(.gap_true.sd | show)) | \(.gap.p99 | show) | \([.event_error.p50, .event_error.p99] | show) | \(.cpu_s | show) | \(.requests) of \(.asked) | \(.runs) |"),
"" else empty end)
