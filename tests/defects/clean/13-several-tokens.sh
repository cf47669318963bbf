# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Two to four tokens an event, as with speculative decoding.
server --tokens-per-event 2-4 --ttft 10ms --itl 4ms
osl=32 concurrency=4 requests=40
