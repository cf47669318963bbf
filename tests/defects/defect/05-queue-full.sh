# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# More requests at once than fit into batch and queue.
name=queue-full
server --slots 2 --queue 1 --ttft 20ms --itl 2ms
concurrency=8
