# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Two deployments that are the same.
server --ttft 5ms --itl 3ms
server --ttft 5ms --itl 3ms
rounds=6 requests=20 warmup=2
