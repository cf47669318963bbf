#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The same run by other origins of time, and by the user's clock.
awk -v requests=100 -f "$CLI/../support/events.awk" |
    sed 's/"clk":"k/"lag_ns":[2000000,-1,0,0,3000000],&/' >events
for o in due start sent; do
	metrics-reduce --from $o --format csv events |
	    awk -F, -v o="--from $o" '
	    $7 ~ "^(ttft|latency|ttft_due|tpot)$" { print o, $10, $7, $14 }'
done
metrics-reduce --clock user --format csv events |
    awk -F, '$7 ~ "^(ttft|latency|gap)$" { print "--clock user", $7, $14 }'
metrics-reduce -z 0 --clock user events |
    jq -r 'select(.kind == "result") | .clock' | sort -u
