#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Shards that are no set are refused, and which one is said.
awk -v requests=30 -f "$CLI/../support/events.awk" |
    sed 's/"at":"start"/&,"trace_hash":"aa"/' >all
for i in 1 2 3; do
	metrics-reduce --partial --shard $i/3 -z 0 all >s$i
done
try()
{
	metrics-reduce --format csv "$@" >out
	echo "exit $?, $([ -s out ] && echo numbers || echo nothing)"
}
try s1 s3
try s3
try s1 s2 s1
try s1 s2 s3 s2
metrics-reduce --partial --shard 2/4 -z 0 all >s
try s1 s
sed '1s/12:00:00/12:00:01/' s2 >s
try s1 s s3
sed 's/"trace_hash":"aa"/"trace_hash":"bb"/' s2 >s
try s3 s s1
sed 's/"loop":"closed"/"loop":"open"/' s2 >s
try s1 s s3
sed 's/"sent":/"sent":1/' s2 >s
try s1 s3 s
sed 's/"verdict":"sound"/"verdict":"suspect"/' s2 >s
try s s1 s3
for name in 4/3 0/3 3 x/3 1/99999 +1/3 ''; do
	sed "1s,2/3,$name," s2 >s
	try s
done
# The record of a run's start behind responses of it would come too late.
{ sed '2d; $d' s2; sed -n 2p s2; sed -n '$p' s2; } >s
try s s1 s3
# What broke off is no whole shard.
sed '$d' s2 >s
try s1 s3 s
try s1 s s3
# What came can be had all the same.
try --allow-truncated s1 s3
metrics-reduce --allow-truncated -q --format json s1 s3 |
    jq -c '.segments[] | [.shard, .status]'
metrics-reduce --partial --shard 1/2 s1 >out
echo "exit $?"
for name in 1 0/2 3/2 1/ /2 -1/2 1/99999; do
	metrics-reduce --partial --shard "$name" all >out
	echo "exit $?"
done
metrics-reduce --shard 1/2 all
metrics-reduce --partial --by isl all
