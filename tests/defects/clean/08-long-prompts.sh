# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Prompts of which each token takes its time.
server --ttft 5ms --prefill-per-token 100us --itl 2ms
isl=200 concurrency=2 requests=30
