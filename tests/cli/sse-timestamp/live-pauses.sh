#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Reads have the times at which they came: 200 ms apart, give or take a busy
# machine, and events that come together are merged.
{
	printf "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\nda"
	sleep 0.2
	printf "ta: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"
	sleep 0.2
	printf "data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n"
	printf "data: [DONE]\n\n"
} | sse-timestamp -z 0 | sed 1d | jq -r "select(.kind == \"event\") |
    [.t_ns, .class, .clk] | @tsv" | awk "{
	gap = NR > 1 ? \$1 - last : 0
	last = \$1
	print \$2, (gap < 150e6 ? \"at once\" : gap < 2e9 ? \"later\" : gap)
}"
