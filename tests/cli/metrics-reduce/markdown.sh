#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Tables for an issue: nothing of the input is Markdown there.
# shellcheck disable=SC2016
awk -v requests=40 -v fail=20 -f "$CLI/../support/events.awk" |
    sed 's/"arm":"A"/"arm":"A|<b>`x`"/; s/"model":"m-7b"/"model":"*m*_7b_"/' >run
metrics-reduce --format markdown run
metrics-reduce --format markdown --by site,isl run | sed -n '/^## Points/,$p'
metrics-reduce --format markdown --wide run | sed -n '/^| metric/,/^| ttft/p'
