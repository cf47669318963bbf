#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The hierarchical bootstrap: only when asked for, and labelled as such.
session="$FIXTURES/compare/session.awk"
awk -v itl=1.02 -v ttft=0.99 -v noise=.01 -f "$session" >in
for format in table json; do ab-compare --format $format in | grep -c bootstrap; done
ab-compare --ci boot in >out
echo $?
sed -n '/^phase/,/^$/p' out
# Tests are the same, and so are all columns but the interval's.
columns() { sed -n '/^prefill/,/^$/p' | cut -c 1-43,65-; }
ab-compare in | columns >t
columns <out | cmp - t && wc -l <t
ab-compare --ci boot --no-host --format json in >records
grep -o '"basis":"bootstrap-t"' records | wc -l
grep -o -e '"ci":"[a-z-]*"' records
ab-compare --ci boot --no-host --format json in | cmp - records
ab-compare --ci boot --seed 2 in | grep '^decode   itl'
# In any order of the records of a run.
awk '/"kind":"result"/ { held[n++] = $0; next }
	{ while (n > 0) print held[--n]; print }' in >shuffled
cmp -s in shuffled && echo same
ab-compare --ci boot shuffled | cmp - out
# Of five pairs it is Student's.
awk -v pairs=5 -f "$session" >five
ab-compare --ci boot five | grep '^phase'
ab-compare --ci boot --format json five | grep -o -e '"basis":"[a-z-]*"' |
    sort -u
# Without requests in common each run's own are drawn.
awk -v noise=.01 -f "$session" | awk '/"arm":"B"/ { b = 1 } /"arm":"A"/ { b = 0 }
	{ if (b) sub(/"id":"/, "\"id\":\"b"); print }' >apart
ab-compare --ci boot apart | sed -n 's/^! only/! only/p; /^decode   itl/p'
ab-compare --ci boot --sequential in
ab-compare --ci request in
