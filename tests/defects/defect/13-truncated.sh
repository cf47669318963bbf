# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Some answers break off, in good order.
name=truncated
server --fault truncate:1/6 --ttft 5ms --itl 1ms
