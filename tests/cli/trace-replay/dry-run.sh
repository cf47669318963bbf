#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What would be sent, without credentials; nothing is.
trace-gen --isl 4 --osl 8 --count 2 --no-host -o t
KEY=open-sesame trace-replay --url 'http://me:open-sesame@h/p?k=open-sesame' \
    --model m --api-key-env KEY --header 'X-Team: 7' --dry-run \
    --extra '{"temperature":0,"stop":"open-sesame"}' t
trace-replay --url h --api completions --model m --no-stream \
    --max-tokens-field max_completion_tokens --dry-run t
