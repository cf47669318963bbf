# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# No warm-up against a server that still compiles.
name=warm-up
server --cold 12,8 --ttft 5ms --itl 1ms
warmup=0 requests=60 concurrency=2
