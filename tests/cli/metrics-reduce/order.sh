#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In whichever order the responses come, the output is the same, to the byte.
awk -v requests=300 -v fail=7 -v short=3 -v merged=5 \
    -f "$CLI/../support/events.awk" >a
# Of equal starts, of the largest latency, and of several attempts there are
# some.
sed 's/"start_ns":4[0-9]*,/"start_ns":4000000000,/
    s/"id":"r21","attempt":1,/"id":"r20","attempt":2,/' a >b
head=$(grep -n '"response"' b | head -n 1 | cut -d: -f1)
tail=$(grep -n '"response"' b | tail -n 1 | cut -d: -f1)
middle() { sed -n "$head,${tail}p" b; }
order()
{
	sed -n "1,$((head - 1))p" b
	middle | "$@"
	sed -n "$((tail + 1)),\$p" b
}
order sort -r >c
order shuf --random-source=a >d
cmp -s b c && echo 'the order is the same'
cmp -s c d && echo 'the order is the same'
for format in stream json csv 'table --worst 5' 'table --wide'; do
	for by in '' '--by isl'; do
		for i in b c d; do
			# shellcheck disable=SC2086
			metrics-reduce --format $format $by --no-host \
			    --slo ttft=100ms <$i >$i.out
		done
		cmp b.out c.out && cmp b.out d.out && [ -s b.out ] &&
		    echo "$format $by"
	done
done
metrics-reduce -z 0 b | jq -s -c 'map(select(.kind == "result")) |
    [length, (map(.start_ns) | . == sort)]'
