# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# A batch that takes all, and no more.
server --slots 8 --queue 8 --ttft 10ms --itl 3ms
concurrency=8 requests=64 warmup=8
