# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# A cold server, with a warm-up that is long enough.
server --cold 12,8 --ttft 5ms --itl 3ms
warmup=16 requests=60 concurrency=2
