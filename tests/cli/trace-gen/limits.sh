#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Requests over a limit are refused, by row or by number.
head -n 5 "$TRACES/mooncake-conversation-64.jsonl" >in
limited()
{
	trace-gen -z 0 --from mooncake "$@" in >out
	echo "$? $(grep -c '"kind":"request"' out) $(tail -n 1 out)"
}
limited --max-input-tokens 1000
limited --max-total-tokens 2000
limited --max-input-tokens 200000
trace-gen -z 0 --isl 100,20 --osl 5 --count 50 --max-input-tokens 120 >out
echo "$? $(tail -n 1 out)"
echo '{"text":"a"}' | trace-gen -z 0 --from prompts --max-total-tokens 5 >out
echo $?
trace-gen -z 0 --from mooncake --limit 2 in | tail -n 1
trace-gen -z 0 --isl 5 --osl 5 --count 50 --limit 7 | tail -n 1
