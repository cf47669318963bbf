# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# The older API.
server --ttft 10ms --itl 2ms
api=completions concurrency=4 requests=40
