# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# The wall clock of the client is set in the middle of the run.
name=clock-step
server --ttft 10ms --itl 5ms
requests=60 concurrency=2 step_after_s=2
