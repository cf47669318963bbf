# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# A server whose streams tick together.
server --cadence batch --ttft 20ms --itl 4ms
concurrency=8 requests=60 warmup=8
