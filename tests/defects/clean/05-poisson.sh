# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Arrivals as of many users.
server --ttft 15ms --itl 2ms
concurrency='' rate=30 arrivals=poisson requests=80
