# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Four at a time.
server --ttft 20ms --itl 3ms
concurrency=4 requests=48
