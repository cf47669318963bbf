#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Pairs are added until a row is found; an earlier look is held to.
first() {
	awk -v n="$1" -v RS='\n' 'match($0, /"run":[0-9]+/) {
		if (substr($0, RSTART + 6, RLENGTH - 6) + 0 > 2 * n) next }
	    /"kind":"end"/ { print "{\"kind\":\"end\",\"records\":" kept ",\"status\":\"complete\"}"; next }
	    { print } !/"kind":"header"/ { kept++ }' all
}
look() {
	ab-compare --sequential --primary itl --margin 2% "$@" >out
	echo "$?: $(grep ^sequential out) $(grep ^refused out)"
}
awk -v pairs=9 -v itl=1.03 -f "$FIXTURES/compare/session.awk" >all
for n in 1 2 5 6; do
	first $n >in
	look in
done
grep itl out
first 6 | ab-compare --sequential --primary itl --margin 2% \
    --format stream -z 0 >looked
sed -n 's/.*"looks":\[\(.*\)\]}.*/\1/p' looked | tr '{' '\n' | grep -c pairs
look --looked looked all
look --looked looked --alpha 0.01 all
sed 's/"arm":"A"/"arm":"old"/; s/"A","B"/"old","B"/' all >renamed
look --looked looked --arms old,B renamed
first 4 >in
look --looked looked in
first 6 | ab-compare --format stream -z 0 >plain
look --looked plain all
look --looked looked --max-pairs 9 --alpha 0.05 all
awk -v pairs=9 -f "$FIXTURES/compare/session.awk" >all
look --max-pairs 9 all
first 1 >in
ab-compare --sequential in --max-pairs 2 >out 2>err
echo $? "$(head -n 1 err)"
