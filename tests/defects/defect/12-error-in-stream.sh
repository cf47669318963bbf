# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Some answers are an error, with a status of 200.
name=error-in-stream
server --fault error-event:1/6 --ttft 5ms --itl 1ms
