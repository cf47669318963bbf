#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Without tokens there is nothing to define anything by.
awk -v requests=3 -f "$CLI/../support/events.awk" |
    sed 's/"at":"start",/&"keep":"times",/' |
    metrics-reduce -z 0 --definitions all >out
echo "$?, $(jq -c 'select(.definitions and .n > 0)' out | wc -l) rows"
