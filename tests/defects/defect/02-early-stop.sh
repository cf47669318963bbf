# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Answers end by themselves long before the length asked for.
name=early-stop
server --osl 8,2 --ttft 10ms --itl 2ms
osl=32
