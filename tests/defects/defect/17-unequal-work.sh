# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# The second deployment stops early, and looks faster.
name=unequal-work
server --ttft 5ms --itl 1ms
server --ttft 5ms --itl 1ms --osl 8,2
rounds=6 requests=20 osl=24 warmup=2
