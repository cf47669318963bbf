# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# The client shares its processor with others, at a rate that it cannot keep.
name=client-limited
server --ttft 1ms --itl 1ms
concurrency='' rate=4000 requests=6000 osl=4 load=6
