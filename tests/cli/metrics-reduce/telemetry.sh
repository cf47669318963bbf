#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Devices and server of a run in its table, and the checks that say so.
support=$CLI/../support
awk -v requests=120 -f "$support/events.awk" >events
awk -f "$support/samples.awk" >samples
metrics-reduce --format table --telemetry samples events |
    sed -n '/clocks/,/^$/p'
echo "hot, slowed down, and not covered"
awk -v bits=36 -v hot=92 -v hole=1500 -f "$support/samples.awk" >samples
metrics-reduce --format table --strict --telemetry samples events >out
echo "exit $?"
sed -n '/clocks/,/^$/p' out
echo "held by a power cap"
awk -v bits=4 -v what=smi -f "$support/samples.awk" >samples
metrics-reduce --format table --strict --telemetry samples events >out
echo "exit $?"
sed -n '/throttled/,/^$/p' out
echo "far away"
awk -v from=60000 -v to=61000 -f "$support/samples.awk" >samples
metrics-reduce --format table --telemetry samples events |
    sed -n '/telemetry/,/^$/p'
echo "as rows"
awk -f "$support/samples.awk" >samples
metrics-reduce --format markdown --telemetry samples events |
    sed -n '/^| from/,/^$/p' | grep 'from\|---\|clock\|queue\|energy'
metrics-reduce --format openmetrics --telemetry samples events |
    grep '_observed.*\(TYPE\|clock\|queue\|energy\)\|TYPE.*observed'
