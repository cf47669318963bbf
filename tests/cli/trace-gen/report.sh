#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The sums are said with -v, not with -q, and not unasked but on a terminal.
head -n 20 "$TRACES/mooncake-conversation-64.jsonl" >in
trace-gen --from mooncake in >/dev/null
trace-gen -v --from mooncake in >/dev/null
trace-gen -v -q --from mooncake in >/dev/null
trace-gen -v --isl 5 --osl 3 --count 4 >/dev/null
printf '{"text":"a","input_length":5}\n{"text":"b","output_length":0}\n' >in
trace-gen -v --from prompts in >/dev/null
trace-gen --from prompts in >/dev/null
trace-gen -q --from prompts in >/dev/null
printf '{"text":"a"}\n' | trace-gen -v --from prompts >/dev/null
