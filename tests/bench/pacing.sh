#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# How late trace-replay sends, and what that costs, by rate and law of arrivals,
# awake before a send (--spin auto) and not (--spin off), in turn.
#
#	pacing.sh [--json FILE]
#
#	RUNS             5 of each, alternating
#	PACING_SECONDS   3 of each run
#	RATES            10 100 1000 5000 10000 20000 requests a second
#	LAWS             constant poisson
#	REPLAY           further options for trace-replay, as --threads
#
# The server is event_pump, which answers at once and with one event:
# trace-serve would be the limit at 20,000 a second.  Lateness is start_ns -
# due_ns, exact, of each request; a row has the medians of its runs.  CPU is of
# the whole process, and of the network loop without what it spent awake.
# Verdicts are those of the runs, with how many had them.  law_runs is how many
# could be tested for the law of their arrivals, or said that they cannot keep
# it; law_kept, how many of these passed at 1 %, or said so.
# shellcheck disable=SC1091,SC2154
set -eu
bench=$(dirname "$0")
. "$bench/lib/common.sh"
seconds=${PACING_SECONDS:-3}
bench_begin pacing "$@"

# lateness WIRE: n, quantiles and the largest in us, of measured requests.
lateness()
{
	zstdcat "$1" | awk '/^{"kind":"exchange"/ && /"stage":"measure"/ {
	    match($0, /"due_ns":-?[0-9]+/)
	    due = substr($0, RSTART + 9, RLENGTH - 9)
	    match($0, /"start_ns":-?[0-9]+/)
	    print substr($0, RSTART + 11, RLENGTH - 11) - due }' | sort -n |
	    awk '{ v[NR] = $1 / 1000 }
	    function q(p,   i) { i = int(p * NR); if (i < p * NR) i++
	    return v[i < 1 ? 1 : i] }
	    END { printf "{\"n\":%d,\"p50_us\":%.2f,\"p99_us\":%.2f," \
	    "\"p999_us\":%.2f,\"max_us\":%.2f}\n", NR, q(0.5), q(0.99),
	    q(0.999), v[NR] }'
}

# one CELL SPIN RATE: a run, as a line of $dir/runs.
one()
{
	# shellcheck disable=SC2086
	cost "$dir/cost" trace-replay -q ${REPLAY:-} --spin "$2" --warmup 0 \
	    --url "$server_url" --model m -o "$dir/wire" --force "$dir/trace" \
	    >/dev/null 2>&1 || echo "trace-replay: exit $?" >&2
	lateness "$dir/wire" >"$dir/late"
	zstdcat "$dir/wire" | grep '^{"kind":"fidelity"' >"$dir/fidelity"
	jq -n -c --arg cell "$1" --arg spin "$2" --argjson rate "$3" \
	    --slurpfile c "$dir/cost" --slurpfile l "$dir/late" \
	    --slurpfile f "$dir/fidelity" '$f[0] as $f |
	    {cell: $cell, rate_per_s: $rate, spin: $spin} + $l[0] +
	    {cpu_us: ($c[0].cpu_s / $l[0].n * 1e6),
	     cpu_percent: ($f.cpu.process_ns / $l[0].n * $rate / 1e7),
	     loop_percent: (($f.cpu.loop_ns - $f.cpu.spin_ns) / $l[0].n *
	        $rate / 1e7),
	     spin_percent: ($f.cpu.spin_ns / $l[0].n * $rate / 1e7),
	     margin_us: ($f.sends.spin_ns / 1e3),
	     achieved_per_s: $f.arrivals.achieved_per_s,
	     ad_p: $f.arrivals.ad_p, verdict: $f.verdict}' >>"$dir/runs"
}

pump -t 3600
for law in ${LAWS:-constant poisson}; do
	for rate in ${RATES:-10 100 1000 5000 10000 20000}; do
		trace-gen -q --isl 8 --osl 1 --count $((rate * seconds)) \
		    --arrivals "$law" --rate "$rate" -o "$dir/trace" --force
		for _ in $(seq "$runs"); do
			for spin in auto off; do
				one "$law $rate $spin" "$spin" "$rate"
			done
		done
	done
done
stop

printf '%-21s %6s %8s %8s %8s %8s %6s %6s %6s %6s %s\n' \
    'law, rate/s, spin' n 'p50 us' 'p99 us' 'p99.9' max 'cpu %' 'loop %' \
    'spin %' margin verdicts
medians >"$dir/medians"
while read -r row; do
	cell=$(printf '%s' "$row" | jq -r .cell)
	verdicts=$(jq -r --arg cell "$cell" 'select(.cell == $cell).verdict' \
	    "$dir/runs" | sort | uniq -c | awk '{ printf "%s%s %s",
	    (NR > 1 ? ", " : ""), $1, $2 }')
	row=$(printf '%s' "$row" | jq -c --arg v "$verdicts" \
	    --slurpfile all "$dir/runs" '.cell as $cell | [$all[] |
	    select(.cell == $cell) | {p: .ad_p,
	        limited: (.verdict == "client-limited")} |
	    select(.p != null or .limited)] as $law |
	    .verdict = $v | .law_runs = ($law | length) |
	    .law_kept = ($law | map(select(.limited or .p >= 0.01)) | length)')
	bench_row "$row"
	printf '%s' "$row" | jq -r '[.cell, .n, .p50_us, .p99_us, .p999_us,
	    .max_us, .cpu_percent, .loop_percent, .spin_percent, .margin_us] |
	    @tsv' | awk -F '\t' -v v="$verdicts" '{ printf "%-21s %6d %8.1f " \
	    "%8.1f %8.1f %8.0f %6.1f %6.1f %6.1f %6.0f %s\n", $1, $2, $3, $4,
	    $5, $6, $7, $8, $9, $10, v }'
done <"$dir/medians"
bench_end
