#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Nothing to measure is exit 6, after what there is was written.
events() { awk -f "$CLI/../support/events.awk" "$@"; }
header=$(events | head -n 1)
run=$(events | sed -n 2p)

{ echo "$header"; echo "$run"
  echo '{"kind":"end","records":1,"status":"complete"}'; } >runs
metrics-reduce -z 0 --no-host runs >out
echo $?
tail -n 1 out

events -v requests=2 | sed '/"id":"r[23]"/d; s/"records":7/"records":5/' \
    >warmup
metrics-reduce -z 0 --no-host warmup >out
echo $?
grep -c '"stage":"warmup"' out

printf 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n' |
    sse-timestamp --format stream | metrics-reduce --format csv
echo $?
