#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# How far the client is to be trusted stands above the numbers.
awk -f "$CLI/../support/events.awk" -v requests=12 -v lag=1234567 \
    -v verdict=client-limited -v merged=4 | tee in |
    metrics-reduce --format table | sed '/^metric/,$d'
metrics-reduce -q --strict --format table in >out
echo "strict: $?"
