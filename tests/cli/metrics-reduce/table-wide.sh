#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every metric with values, and all quantiles.
awk -v requests=1000 -f "$CLI/../support/events.awk" |
    metrics-reduce --format table --wide | sed -n '/^metric/,$p'
