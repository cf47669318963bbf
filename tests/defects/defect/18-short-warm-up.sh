# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# The warm-up is shorter than the server needs.
name=warm-up
server --cold 14,8 --ttft 5ms --itl 1ms
warmup=2 requests=60 concurrency=2
