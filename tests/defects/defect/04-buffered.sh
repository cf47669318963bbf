# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# A proxy between client and server hands on each answer in one piece.
name=buffered
server --merge 1000 --ttft 10ms --itl 2ms
