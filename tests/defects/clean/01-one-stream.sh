# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# One request at a time.
server --ttft 10ms --itl 2ms
concurrency=1 requests=30
