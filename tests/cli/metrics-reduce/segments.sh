#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Segments stay segments, each with its runs, ending and epoch.
events() { awk -v requests=3 -f "$CLI/../support/events.awk" "$@"; }
events >a
events -v status=interrupted | sed '1s/0123/4567/; 1s/2026/2027/' >b
cat a b | zstd -q | metrics-reduce -z 0 --no-host |
    jq -r '[.kind, .run_id, .epoch, .at, .status] | map(select(.)) | @tsv' |
    grep -v '^result\|^check\|^summary'
metrics-reduce -q --format csv a b | cut -d, -f1,2,7 | grep ',ttft$'
metrics-reduce -q --format json a b |
    jq -c '.segments[] | [.run_id, (.runs | length), .status]'
metrics-reduce -q --format table a b | grep '^session\|^run\|^!'
