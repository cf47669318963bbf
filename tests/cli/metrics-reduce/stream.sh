#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every record of a small run.
awk -v requests=3 -v fail=4 -f "$CLI/../support/events.awk" |
    metrics-reduce -z 0 --no-host --slo ttft=100ms --by isl
