# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Another model is served than the one asked for.
name=wrong-model
server --ttft 5ms --itl 1ms --model small
model=large
