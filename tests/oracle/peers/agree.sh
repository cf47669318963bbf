#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What peers say of a run against trace-serve, and what metrics-reduce says of
# the same run by their definitions.  Never in CI; see ../PEERS.md.
#
#	PEERS_VENV=DIR[:DIR...] tests/oracle/peers/agree.sh [usual|kinds|faults]
#
#	PEERS_VENV  Python environments with aiperf, vllm or guidellm in them
#	PEERS_PATH  folders with the unpacked wheels of sglang and genai-perf,
#	            for the Python of vllm's environment, which has what they need
#	PEERS       aiperf vllm sglang guidellm genai-perf
#	REQUESTS    24
#	KEEP        a folder that all is left in
#
# Each peer keeps what it read and its own times of it (record/); that becomes a
# wire stream (to_wire.py), which goes through sse-timestamp and metrics-reduce.
# Run it from the repository, with bin in the path.
# shellcheck disable=SC1091,SC2154
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../support/server.sh"
. "$here/../../support/peers.sh"
scenario=${1:-usual}
count=${REQUESTS:-24}
dir=${KEEP:-$(mktemp -d)}
mkdir -p "$dir"
trap 'server_stop; [ -n "${KEEP:-}" ] || rm -rf "$dir"' EXIT
export ASKED=20 PROMPT=16 SKIP=0

serve()
{
	set -- --ttft 60ms,15ms --itl 8ms,3ms --tokens-per-event 1-3 \
	    --role start --tail 7ms --seed 7 "$@"
	case $scenario in
	kinds)
		python3 "$here/answers.py" >"$dir/answers"
		set -- "$@" --script "$dir/answers"
		;;
	faults)
		set -- "$@" --fault error-event:1/7 --fault truncate:1/9 \
		    --fault malformed:1/11 --fault 500:1/13
		;;
	esac
	server_start "$dir/serve.log" "$@"
}

# recorded PEER COMMAND ...: leaves notes in $dir/PEER.notes.PID.
recorded()
{
	recorded_as=$dir/$1.notes
	shift
	PYTHONPATH=$here/record:${PEERS_PATH:-} PEERS_RECORD=$recorded_as \
	    timeout 300 "$@"
}

run_aiperf()
{
	timeout 300 "$(find_in_venv aiperf)" profile -m llmtape \
	    --url "$server_url" --endpoint-type chat --streaming \
	    --tokenizer "$dir/tok" --concurrency 4 --request-count "$count" \
	    --isl 16 --osl 20 --extra-inputs ignore_eos:true --ui none \
	    --no-server-metrics --no-gpu-telemetry --export-level raw \
	    --artifact-dir "$dir/aiperf"
	cp "$dir/aiperf/profile_export_aiperf.json" "$dir/aiperf.json"
	python3 "$here/to_wire.py" aiperf \
	    "$dir/aiperf/profile_export_raw.jsonl" >"$dir/aiperf.wire"
}

run_vllm()
{
	recorded vllm "$(find_in_venv vllm)" bench serve \
	    --backend openai-chat --base-url "$server_url" \
	    --endpoint /v1/chat/completions --model llmtape \
	    --tokenizer "$dir/tok" --dataset-name random \
	    --random-input-len 16 --random-output-len 20 \
	    --num-prompts "$count" --max-concurrency 4 --ignore-eos \
	    --percentile-metrics ttft,tpot,itl,e2el --save-result \
	    --result-dir "$dir" --result-filename vllm.json --disable-tqdm
	python3 "$here/to_wire.py" vllm "$dir"/vllm.notes.* >"$dir/vllm.wire"
}

run_sglang()
{
	recorded sglang "$(dirname "$(find_in_venv vllm)")/python" \
	    -m sglang.bench_serving --backend sglang-oai-chat \
	    --base-url "$server_url" --model llmtape --tokenizer "$dir/tok" \
	    --dataset-name random-ids --random-input-len 16 \
	    --random-output-len 20 --random-range-ratio 1 \
	    --num-prompts "$count" --max-concurrency 4 \
	    --output-file "$dir/sglang.json" --disable-tqdm
	# A test of the server and a warm-up come first.
	SKIP=2 python3 "$here/to_wire.py" sglang "$dir"/sglang.notes.* \
	    >"$dir/sglang.wire"
}

run_guidellm()
{
	recorded guidellm "$(find_in_venv guidellm)" run \
	    --backend "kind=openai_http,target=$server_url,model=llmtape" \
	    --profile kind=concurrent,streams=4 \
	    --constraint "kind=max_requests,count=$count" \
	    --tokenizer "kind=hf_auto,model=$dir/tok" \
	    --data kind=synthetic_text,prompt_tokens=16,output_tokens=20 \
	    --output "kind=json,path=$dir/guidellm.json" --disable-console
	python3 "$here/to_wire.py" guidellm "$dir"/guidellm.notes.* \
	    >"$dir/guidellm.wire"
}

# On what AIPerf has read.
run_genai_perf()
{
	cp "$dir/aiperf.wire" "$dir/genai-perf.wire"
	PYTHONPATH=${PEERS_PATH:-} "$(dirname "$(find_in_venv vllm)")/python" \
	    "$here/genai_perf_stats.py" "$dir/genai-perf.wire" "$dir/tok" \
	    >"$dir/genai-perf.json"
}

make_tokenizer "$dir/tok" "$here/../../../traces/vocab/en1.txt"
for peer in ${PEERS:-aiperf vllm sglang guidellm genai-perf}; do
	serve
	echo "== $peer, $scenario"
	if "run_$(echo "$peer" | tr - _)" >"$dir/$peer.said" 2>&1; then
		sse-timestamp -q -z 0 "$dir/$peer.wire" |
		    metrics-reduce -q -z 0 --definitions "$peer" \
			>"$dir/$peer.metrics"
		python3 "$here/compare.py" "$peer" "$dir/$peer.json" \
		    "$dir/$peer.metrics"
	else
		echo "it failed:"
		tail -n 5 "$dir/$peer.said"
	fi
	server_stop
done
