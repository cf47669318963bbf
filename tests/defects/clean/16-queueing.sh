# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# A batch that is smaller than the concurrency, and a queue.
server --slots 4 --ttft 10ms --itl 3ms
concurrency=6 requests=60 warmup=6
