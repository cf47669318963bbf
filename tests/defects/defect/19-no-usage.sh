# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# The server does not say how many tokens it made.
name=no-usage
server --ttft 5ms --itl 1ms
usage=no
