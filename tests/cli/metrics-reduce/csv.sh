#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
awk -v requests=100 -f "$CLI/../support/events.awk" |
    sed 's/"arm":"A"/"arm":"A, \\"new\\""/' |
    metrics-reduce --format csv --by isl,site
