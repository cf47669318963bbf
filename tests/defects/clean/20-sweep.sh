# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Concurrencies 1, 2 and 4, of a server that batches.
server --ttft 10ms --itl 3ms
sweep='1 2 4' requests=30
