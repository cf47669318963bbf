# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Prompts share their beginning, as declared, and it is remembered.
server --prefix-cache 4096 --prefix-block 4 --prefill-per-token 50us --ttft 5ms --itl 2ms
shared=12 isl=24 concurrency=4 requests=40
