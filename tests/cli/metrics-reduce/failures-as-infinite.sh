#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Failed requests as infinite times: "inf" for people and in CSV, absent and
# flagged in JSON.
awk -v requests=120 -v fail=8 -f "$CLI/../support/events.awk" >events
metrics-reduce --failures-as-infinite --format table events | tail -14
metrics-reduce --failures-as-infinite --format csv events | grep -E ',(ttft|late),'
metrics-reduce --failures-as-infinite --format json events |
    jq -c '.segments[].runs[].summaries[] | select(.metric == "ttft")'
