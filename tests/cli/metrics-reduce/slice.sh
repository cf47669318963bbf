#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Slices of time hold the requests that were sent in them, with the slice as
# window; together they are all requests.
awk -v requests=120 -v fail=9 -f "$CLI/../support/events.awk" >events
metrics-reduce -z 0 --slice 500ms events >out
jq -s -c 'map(select(.kind == "result" and .stage == "measure")) as $r |
    map(select(.metric == "latency" and .group)) |
    (map(.n + .failed) | add), ($r | length),
    (map(.group.slice_s as $s | [$s, .n == ([$r[] | select(.ok and
        .start_ns >= $s * 1e9 and .start_ns < ($s + 0.5) * 1e9)] | length)]) |
    tojson)' out
jq -c 'select(.metric == "requests_per_s") | [.group, .n, .value,
    .window_start_ns, .window_end_ns]' out
metrics-reduce --format table --by isl --slice 2s events | grep '^group'
jq -c 'select(.metric == "concurrency") | [.group, .n > 0]' out
metrics-reduce --slice 0s events
echo "exit $?"
