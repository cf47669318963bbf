#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Block prompts stay blocks; from a file and from standard input.
head -n 4 "$TRACES/mooncake-conversation-64.jsonl" >in
trace-gen -z 0 --no-host --from mooncake in | grep '"kind":"request"'
trace-gen -z 0 --no-host --from mooncake --limit 2 --speedup 3 --seed 5 - <in |
    grep -o '"t_ns":[0-9]*\|"seed":[0-9]*\|"status":"[a-z]*"'
printf '{"timestamp":0,"input_length":33,"output_length":1,"hash_ids":[4,5,6]}\n' |
    trace-gen -z 0 --no-host --from mooncake --block-size 16 | grep -o '"blocks":[^}]*'
