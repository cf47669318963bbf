# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# The device becomes hot, and the server slower with each request.
name=trend
server --drift 1.5% --ttft 10ms --itl 1ms
requests=60 concurrency=2
