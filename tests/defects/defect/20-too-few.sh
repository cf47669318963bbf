# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Five requests are to stand for a server.
name=too-few
server --ttft 10ms --itl 2ms
requests=5 warmup=2 concurrency=1
