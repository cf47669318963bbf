#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each input is refused with 3, its name and line; what came before is there.
bad()
{
	format=$1
	cat >in
	trace-gen -z 0 --no-host --from "$format" in >out
	echo "$? $(grep -c '"kind":"request"' out) $(tail -n 1 out)"
}
printf '<!DOCTYPE html>\n<html>\n' | bad prompts
printf '<!DOCTYPE html>\n' | bad azure
printf '' | bad prompts
printf '' | bad mooncake
printf '' | bad azure
printf '\n\n' | bad prompts
printf 'TIMESTAMP,ContextTokens,GeneratedTokens\n' | bad azure
printf '{"text":"a"}\nnot json\n' | bad prompts
printf '{"text":"a"}\n{"text":"b"' | bad prompts
printf '{"text":"a","output_length":"many"}\n' | bad prompts
printf '{"text":"a","output_length":1.5}\n' | bad prompts
printf '{"text":"\377"}\n' | bad prompts
printf '{"text":"a","timestamp":5}\n{"text":"a","timestamp":4}\n' | bad prompts
printf '{"text":"a","timestamp":5}\n{"text":"a"}\n' | bad prompts
printf 'TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-12 00:00:00,1,x\n' | bad azure
printf 'a;b;c\n' | bad azure
printf '{"timestamp":0,"input_length":2049,"output_length":1,"hash_ids":[1,2,3,4]}\n' | bad mooncake
printf '{"text":"a","output_length":1}\n' | bad mooncake
bad prompts <"$FIXTURES/v1/trace.jsonl"
head -c 60 "$FIXTURES/v1/trace.zst" | bad prompts
bad mooncake <"$FIXTURES/bad/damaged.zst"
