# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Events that come in two pieces.
server --split 2,200us --ttft 10ms --itl 3ms
concurrency=2 requests=30
