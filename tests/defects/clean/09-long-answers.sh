# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Answers that are long against their beginning.
server --ttft 10ms --itl 1ms
osl=128 concurrency=4 requests=40
