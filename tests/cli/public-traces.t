#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The public traces as a whole, where their files are there: every row becomes a
# request, sums are those of the files, and memory does not grow with the file.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
data=$root/../shared/data/traces
scratch
cd "$tmp" || exit 1

# whole FORMAT FILE WANT: the sums, and the same counted in the trace.
whole()
{
	if [ ! -f "$data/$2" ]; then
		skip 1 'not there' "$2"
		return
	fi
	is "$(trace-gen -v -z 0 --from "$1" "$data/$2" 2>&1 >out)" \
	    "trace-gen: $3" "$2"
	is "$(sed -n 's/.*"output_tokens":\([0-9]*\),"input_tokens":\([0-9]*\).*/\2 \1/p' out |
	    awk '{ i += $1; o += $2 } END { printf "%d requests, %.0f, %.0f", NR, i, o }')" \
	    "$(echo "$3" | sed 's/ from.*: input \([0-9]*\) tokens; output \([0-9]*\) tokens.*/, \1, \2/')" \
	    "and so says the trace"
}

whole mooncake mooncake/conversation_trace.jsonl "12031 requests from 0.0 s to\
 3537.0 s: input 144793823 tokens; output 4122048 tokens; largest input 126195,\
 largest input and output 126527"
whole mooncake mooncake/synthetic_trace.jsonl "3993 requests from 0.0 s to\
 1022.0 s: input 61194628 tokens; output 595432 tokens; largest input 191378,\
 largest input and output 191386"
whole mooncake mooncake/arxiv_mooncake_trace.slice12.jsonl "12 requests from\
 1178.6 s to 1181.7 s: input 48942 tokens; output 4391 tokens; largest input\
 9456, largest input and output 10016"
whole azure azure/AzureLLMInferenceTrace_conv.csv "19366 requests from 0.0 s to\
 3501.7 s: input 22361870 tokens; output 4088665 tokens; largest input 14050,\
 largest input and output 14089"
whole azure azure/AzureLLMInferenceTrace_code.csv "8819 requests from 0.0 s to\
 3435.9 s: input 18059974 tokens; output 245896 tokens; largest input 7437,\
 largest input and output 7841"
whole azure azure/AzureLLMInferenceTrace_code_1week.headtail10.csv "10 requests\
 from 0.0 s to 604799.9 s: input 24016 tokens; output 180 tokens; largest input\
 7670, largest input and output 7678"
whole azure azure/AzureLLMInferenceTrace_conv_1week.headtail10.csv "10 requests\
 from 0.0 s to 604800.0 s: input 12767 tokens; output 856 tokens; largest input\
 3152, largest input and output 3416"
whole azure azure/AzureLMMInferenceTrace_multimodal.headtail10.csv "10 requests\
 from 0.0 s to 604799.7 s: input 12859 tokens; output 1395 tokens; largest input\
 4564, largest input and output 4701"
whole burstgpt burstgpt/BurstGPT_3.head4.csv "4 requests from 0.0 s to 144.0 s:\
 input 3656 tokens; output 776 tokens; largest input 1779, largest input and\
 output 1902"

# within MIB COMMAND ...: whether it succeeds with so much address space.
within()
{
	# shellcheck disable=SC3045
	(ulimit -v $(($1 * 1024)) && shift && "$@" >/dev/null) 2>/dev/null
}

# bounded FILE FORMAT: what suffices for 2,000 rows nearly does for 200,000.
bounded()
{
	head -n 2001 "$1" >few
	if ! within 256 trace-gen --from "$2" few; then
		skip 1 'too much is taken beforehand' "memory for $2"
		return
	fi
	mib=8
	while ! within $mib trace-gen --from "$2" few; do
		mib=$((mib + 1))
	done
	within $((mib + 1)) trace-gen --from "$2" "$1"
	is $? 0 "memory for $2: $mib MiB with all libraries"
}

awk 'BEGIN { for (i = 0; i < 200000; i++)
	printf "{\"timestamp\":%d,\"input_length\":%d,\"output_length\":9," \
	    "\"hash_ids\":[0,%d,%d]}\n", i, 1030 + i % 500, i, i + 1 }' >moon
bounded moon mooncake
awk 'BEGIN { print "TIMESTAMP,ContextTokens,GeneratedTokens"
	for (i = 0; i < 200000; i++)
	printf "2024-05-12 %02d:%02d:%02d.%03d+00:00,%d,9\n", i / 36000, \
	    i / 600 % 60, i / 10 % 60, i % 10 * 100, 5 + i % 900 }' >azure
bounded azure azure
awk 'BEGIN { for (i = 0; i < 200000; i++) print "{\"text\":\"a prompt\"}" }' >prompts
bounded prompts prompts

done_testing
