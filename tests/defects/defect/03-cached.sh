# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# All prompts are the same, and the server remembers them.
name=cached
server --prefix-cache 4096 --prefix-block 4 --prefill-per-token 1ms
prompt="one two three four five six seven eight nine ten eleven twelve" requests=24
