#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Prompts and chats, sessions and times; null is nothing.
cat >in <<'END'
{"text_input":"Why \"so\"?\n","output_length":3,"timestamp":0}
{"messages":[{"role":"user","content":"Grüß dich"}],"session_id":"s","timestamp":1.5,"output_length":null}

{"prompt":"p","session_id":7,"timestamp":2,"max_tokens":9,"input_length":12}
{"text":"t","session_id":"s","delay":250,"output_tokens":4,"unknown":{"a":[1]}}
END
trace-gen -z 0 --no-host --from prompts in | sed 1d
trace-gen -z 0 --no-host --from prompts --speedup 2 in | grep -o '"[a-z]*_ns":[0-9]*'
echo 'a rate for all, turns too:'
trace-gen -z 0 --from prompts --arrivals constant --rate 4 in | grep -o '"t_ns":[0-9]*\|"after":[^]]*\|"delay_ns":[0-9]*'
