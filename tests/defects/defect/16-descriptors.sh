# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# The client may not open as many connections as it needs.
name=descriptors
server --ttft 20ms --itl 2ms
files=64 concurrency=200 requests=400
