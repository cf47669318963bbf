# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Answers in one piece, as asked for.
server --ttft 10ms --itl 2ms
stream=no concurrency=4 requests=40
