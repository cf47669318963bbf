#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What was run, how far to trust it, then the numbers.
awk -v requests=120 -v fail=40 -v short=50 -f "$CLI/../support/events.awk" |
    metrics-reduce --format table
