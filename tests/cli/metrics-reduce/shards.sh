#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Shards of a set, in any order and any split, are what the whole is.
events() { awk -f "$CLI/../support/events.awk" "$@"; }
{
	events -v requests=200 -v fail=7 -v short=3 | sed '$d'
	events -v requests=90 -v fail=5 -v usage=0 -v merged=4 |
	    sed '1d; $d; s/"run":1/"run":2/; s/"arm":"A"/"arm":"B"/'
	echo '{"kind":"end","records":RECORDS,"status":"complete"}'
} | sed 's/"id":"r21","attempt":1,/"id":"r20","attempt":2,/' >all
sed -i "s/RECORDS/$(($(wc -l <all) - 2))/" all

# All that can be asked for.  What the chain of programs says is how it came
# about, and so is left out.
reduce()
{
	cat "$@" >in
	for format in stream json csv table; do
		worst=
		case $format in json | table) worst='--worst 4' ;; esac
		# shellcheck disable=SC2086
		metrics-reduce -z 0 --format $format $worst --by isl \
		    --slo ttft=100ms --from due <in || echo failed
		# shellcheck disable=SC2086
		metrics-reduce -z 0 --format $format $worst --clock user \
		    --failures-as-infinite <in || echo failed
	done | sed 's/,"prov":\[.*\],"runs"/,"runs"/; s/,"prov":\[.*\]}$/}/'
}
same()
{
	what=$1
	shift
	reduce "$@" >got
	cmp want got && echo "$what"
}

reduce all >want
[ "$(wc -l <want)" -gt 1000 ] && echo 'the whole'
metrics-reduce --partial all >p
same 'a partial' p
for n in 1 2 5; do
	for i in $(seq $n); do
		metrics-reduce --partial --shard "$i/$n" all >"s$i.$n"
	done
done
same 'one shard' s1.1
same 'two' s1.2 s2.2
same 'two, the other way round' s2.2 s1.2
same 'five' s1.5 s2.5 s3.5 s4.5 s5.5
same 'five in another order' s4.5 s2.5 s5.5 s1.5 s3.5
same 'five in a third' s5.5 s4.5 s3.5 s2.5 s1.5
metrics-reduce --partial s4.5 >p4
metrics-reduce --partial -z 0 s2.5 >p2
same 'partials of partials' p4 p2 s5.5 s1.5 s3.5
cat s2.5 s1.5 | metrics-reduce --format csv s3.5 - s5.5 s4.5 >got
metrics-reduce --format csv all | cmp - got && echo 'as files'

# By hand: pieces of unequal size, inside of runs, with all that was recorded.
start=$(grep '"at":"start"' all)
piece()
{
	awk -v i="$1" -v from="$2" -v to="$3" -v start="$start" '
	NR == 1 {
		sub(/"prov"/, "\"shard\":\"" i "/3\",\"prov\"")
		print
		print start
		n += 2
		next
	}
	/"at":"start"/ { next }
	NR >= from && NR < to && !/"kind":"end"/ { print; n++ }
	END { print "{\"kind\":\"end\",\"records\":" n \
	    ",\"status\":\"complete\"}" }' all
}
piece 1 2 30 >c1
piece 2 30 250 >c2
piece 3 250 9999 >c3
same 'pieces' c1 c2 c3
same 'pieces in another order' c3 c1 c2

# Two sets at a time: each is a segment of the output.
sed '1s/0123456789abcdef/other/' c1 >o1
sed '1s/0123456789abcdef/other/' c2 >o2
sed '1s/0123456789abcdef/other/' c3 >o3
metrics-reduce --format csv c1 o3 c2 o1 o2 c3 | cut -d, -f1 | uniq -c |
    awk '{ print ($1 > 1), $2 }'
