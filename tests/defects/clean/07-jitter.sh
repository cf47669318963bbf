# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Times that vary, as on a real device.
server --ttft 20ms,4ms --itl 3ms,600us
concurrency=4 requests=60
