#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The peers and trace-replay on the same server, in turn: how far TTFT and the
# times between tokens are from the server's own, as each client exports them.
#
#	PEERS_VENV=DIR[:DIR...] run.sh [--json FILE]
#
#	PEERS_VENV  Python environments with aiperf, vllm, guidellm or aiohttp in
#	            them; what is found there is run.  Never in CI
#	CLIENTS     trace-replay aiohttp vllm aiperf guidellm
#	LOADS       100x100 1000x100, STREAMSxTOKENS_PER_S
#	RUNS        3, alternating
#	WAVES       3 requests for each stream, of 100 tokens
#	LIMIT       180, seconds until a client is ended
#
# TTFT 50 ms, no deviation; closed loop, all streams begin at once.  A request
# is matched with the server's log by its id, guidellm's by the id of its
# answer.  TTFT by the server is from the request's last byte to its first
# token's send, so that connecting and sending is the client's; itl is the mean
# of an answer, gap the time between two tokens.  guidellm exports no gaps.
# No hub of models is needed: the tokenizer is made here, of the vocabulary.
# shellcheck disable=SC1091,SC2154
set -eu
bench=$(dirname "$0")/..
RUNS=${RUNS:-3} LIMIT=${LIMIT:-180}
. "$bench/lib/common.sh"
. "$bench/../support/peers.sh"
clients=${CLIENTS:-trace-replay aiohttp vllm aiperf guidellm}
loads=${LOADS:-100x100 1000x100} waves=${WAVES:-3} tokens=100
here=$(cd "$(dirname "$0")" && pwd)
bench_begin peers "$@"
exec 3>&1

python_with()
{
	(
		IFS=:
		for v in ${PEERS_VENV:-}; do
			"$v/bin/python" -c "import $1" 2>/dev/null && {
				echo "$v/bin/python"
				exit 0
			}
		done
		exit 1
	)
}

# The version of what a client is, nothing if it is not there.
version_of()
{
	case $1 in
	trace-replay) trace-replay --version | head -n 1 ;;
	aiohttp) py=$(python_with aiohttp) || return 0 ;;
	*) py=$(find_in_venv "$1") || return 0
	   py=$(dirname "$py")/python ;;
	esac
	[ "$1" = trace-replay ] || "$py" -c "
import importlib.metadata as m, platform
print(('stand-in, ' if '$1' == 'aiohttp' else '') + '$1 ' + m.version('$1') + ', Python ' + platform.python_version())"
}

run_trace_replay()
{
	trace-gen -q --isl 16 --osl "$tokens" --count "$count" \
	    -o "$dir/trace" --force
	# shellcheck disable=SC2086
	cost "$dir/cost" trace-replay -q ${REPLAY:-} --url "$server_url" \
	    --model llmtape --warmup 0 --concurrency "$streams" \
	    -o "$dir/wire" --force "$dir/trace" >/dev/null
	sse-timestamp -q -z 0 "$dir/wire" | jq -c '
	select(.kind == "response" and .error == null) |
	(.headers | map(select(.[0] == "x-request-id")) | .[0][1]) as $id |
	[.events | [.t_ns, .server_ns, (.class / "")] | transpose[] |
	    select(.[2] == "c")] as $e |
	{id: $id, ttft_s: ($e[0][0] / 1e9),
	 gaps_s: [range(1; $e | length) | ($e[.][0] - $e[. - 1][0]) / 1e9],
	 gaps_true_s: [range(1; $e | length) |
	     ($e[.][1] - $e[. - 1][1]) / 1e9],
	 error_s: [$e[] | (.[0] - .[1]) / 1e9]}' >"$dir/client"
}

run_aiohttp()
{
	cost "$dir/cost" "$(python_with aiohttp)" "$here/aiohttp_client.py" \
	    "$server_url/v1/chat/completions" "$streams" "$count" "$tokens" \
	    >"$dir/client"
}

run_vllm()
{
	cost "$dir/cost" "$(find_in_venv vllm)" bench serve \
	    --backend openai-chat --base-url "$server_url" \
	    --endpoint /v1/chat/completions --model llmtape \
	    --tokenizer "$dir/tok" --dataset-name random \
	    --random-input-len 16 --random-output-len "$tokens" \
	    --num-prompts "$count" --max-concurrency "$streams" --ignore-eos \
	    --request-id-prefix v- --save-result --save-detailed \
	    --result-dir "$dir" --result-filename vllm.json --disable-tqdm
	jq -c '. as $r | range($r.ttfts | length) |
	    select($r.errors[.] == "") | {id: "v-\(.)",
	    ttft_s: $r.ttfts[.], gaps_s: $r.itls[.]}' "$dir/vllm.json" \
	    >"$dir/client"
}

run_aiperf()
{
	rm -rf "$dir/aiperf"
	cost "$dir/cost" "$(find_in_venv aiperf)" profile -m llmtape \
	    --url "$server_url" --endpoint-type chat --streaming \
	    --tokenizer "$dir/tok" --concurrency "$streams" \
	    --request-count "$count" --isl 16 --osl "$tokens" \
	    --extra-inputs ignore_eos:true --ui none --no-server-metrics \
	    --no-gpu-telemetry --artifact-dir "$dir/aiperf"
	jq -c 'select(.metrics.time_to_first_token) |
	    {id: .metadata.x_request_id,
	    ttft_s: (.metrics.time_to_first_token.value / 1e3),
	    gaps_s: (.metrics.inter_chunk_latency.value | map(. / 1e3))}' \
	    "$dir/aiperf/profile_export.jsonl" >"$dir/client"
}

run_guidellm()
{
	cost "$dir/cost" "$(find_in_venv guidellm)" run \
	    --backend "kind=openai_http,target=$server_url,model=llmtape" \
	    --profile "kind=concurrent,streams=$streams" \
	    --constraint "kind=max_requests,count=$count" \
	    --tokenizer "kind=hf_auto,model=$dir/tok" \
	    --data "kind=synthetic_text,prompt_tokens=16,output_tokens=$tokens" \
	    --output "kind=json,path=$dir/guidellm.json" --disable-console
	"$B/bench/serve_ids" $((count * 2 + 1000)) |
	    jq -R -n '[inputs] | to_entries | map({(.value):
	    "\(.key + 1)"}) | add' >"$dir/ids"
	jq -c --slurpfile ids "$dir/ids" '
	.benchmarks[0].requests.successful[] | .info.timings as $t |
	{id: $ids[0][.response_id], ttft_s: ($t.first_token_iteration -
	 $t.request_start), itl_s: (if $t.token_iterations > 1 then
	 ($t.last_token_iteration - $t.first_token_iteration) /
	 ($t.token_iterations - 1) else null end)}' "$dir/guidellm.json" \
	    >"$dir/client"
}

# one CLIENT LOAD: a line in $dir/runs, also when it failed.
one()
{
	client=$1 streams=${2%x*} rate=${2#*x}
	count=$((streams * waves))
	serve --ttft 50ms --itl "$((1000000 / rate))us" --stamp --role start \
	    --tail "$((1000000 / rate))us"
	: >"$dir/client"
	echo null >"$dir/cost"
	call=run_$(echo "$client" | tr - _)
	printf '  %s %s ...\n' "$2" "$client" >&3
	"$call" >"$dir/said" 2>&1 && code=0 || code=$?
	[ "$code" -eq 0 ] || tail -n 5 "$dir/said" >&3
	stop
	jq -n -c --slurpfile log "$dir/serve.log" -f "$here/errors.jq" \
	    "$dir/client" >"$dir/one"
	jq -c --arg load "$2" --arg client "$client" --argjson exit "$code" \
	    --arg version "$(version_of "$client")" --argjson asked "$count" \
	    --slurpfile cost "$dir/cost" '{cell: "\($load) \($client)",
	    load: $load, client: $client, version: $version, asked: $asked,
	    exit: $exit, cpu_s: $cost[0].cpu_s, wall_s: $cost[0].wall_s} + .' \
	    "$dir/one" >>"$dir/runs"
}

make_tokenizer "$dir/tok" "$bench/../../traces/vocab/en1.txt"
present=''
for c in $clients; do
	v=$(version_of "$c")
	printf '%-13s %s\n' "$c" "${v:-not found in PEERS_VENV: left out}"
	[ -z "$v" ] || present="$present $c"
done
run=1
while [ "$run" -le "$runs" ]; do
	for load in $loads; do
		for c in $present; do
			one "$c" "$load"
		done
	done
	run=$((run + 1))
done
medians >"$dir/rows"
jq -r '
def r: if . == null then "-" else . * 10 | round / 10 end;
def three: "\(.p50 | r) / \(.p99 | r) / \(.max | r)";
"\(.load) \(.client) (\(.version)), n = \(.runs): \(.requests) of \(.asked) requests, \(.matched) matched, exit \(.exit), \(.cpu_s | r) CPU-s",
"  TTFT us    mean \(.ttft.mean | r), the server'"'"'s \(.ttft_true.mean | r); |error| \(.ttft_error | three)  (p50 / p99 / max)",
"  itl us     mean \(.itl.mean | r), the server'"'"'s \(.itl_true.mean | r); |error| \(.itl_error | three)",
"  gap us     sd \(.gap.sd | r) (by stamps \(.gap_true.sd | r)), p99 \(.gap.p99 | r), max \(.gap.max | r)",
"  events us  |time - stamp| \(.event_error | three);  server late at most, of an answer: p50 \(.server_late_max.p50 | r), p99 \(.server_late_max.p99 | r)"
' "$dir/rows"
bench_end
