# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Sixteen at a time.
server --ttft 20ms --itl 4ms
concurrency=16 requests=120 warmup=16
