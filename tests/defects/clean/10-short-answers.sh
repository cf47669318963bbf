# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Answers of two tokens.
server --ttft 10ms --itl 2ms
osl=2 concurrency=4 requests=60
