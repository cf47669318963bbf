# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# An open loop, at a constant rate.
server --ttft 15ms --itl 2ms
concurrency='' rate=25 requests=60
