# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# A server that takes one request at a time.
name=serialized
server --slots 1 --ttft 20ms --itl 2ms
concurrency=4 requests=32
