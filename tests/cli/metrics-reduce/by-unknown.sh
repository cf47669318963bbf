#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A label that nothing has: told, and the first one only; fields of runs count
# as labels, and so do labels that some requests lack.
awk -v requests=20 -f "$CLI/../support/events.awk" >events
metrics-reduce --by isl,ils,osl --format csv events | cut -d, -f6 | sort -u | wc -l
metrics-reduce --by isl,arm --format csv events >/dev/null
jq -c 'if .id == "r7" then .labels.rare = 1 else . end' events |
    metrics-reduce --by rare --format csv | grep -c rare
