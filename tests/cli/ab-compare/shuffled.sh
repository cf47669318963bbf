#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Whatever the order of the records of runs, of segments and of files, the same
# bytes come out, in every format.  Only that a run begins before its results is
# part of the format.  (There is one thread here; that those of metrics-reduce
# change nothing is tested there.)
session="$FIXTURES/compare/session.awk"
SOURCE_DATE_EPOCH=1772366400
export SOURCE_DATE_EPOCH

# same ONE OTHER OPTION ...: each format of both, from files of one name.
same()
{
	one=$1 other=$2
	shift 2
	for format in ${formats:-table json stream markdown junit benchstat}; do
		cp "$one" in
		ab-compare --no-host -z 0 --format "$format" "$@" in >out.one
		cp "$other" in
		ab-compare --no-host -z 0 --format "$format" "$@" in >out.other
		cmp out.one out.other
	done
	echo "same: $other $*"
}

# shuffled FILE: but for the first and the last line, and starts of runs.
shuffled()
{
	head -n 1 "$1"
	grep '"at":"start"' "$1"
	sed '1d;$d' "$1" | grep -v '"at":"start"' | shuf --random-source="$1"
	tail -n 1 "$1"
}

awk -v itl=1.05 -v fail=2 -v longer=3 -v da='gpu0 1000 200 50' \
    -v db='gpu0 990 200 50' -v rb='"text_sha256":"%d"' -f "$session" >whole
shuffled whole >mixed
cmp -s whole mixed && echo 'not shuffled'
same whole mixed
same whole mixed --shape --margin 2%
formats=json
same whole mixed --ci boot
formats=
same whole mixed --sequential --primary itl
# With more pairs than can be listed, so that signs are drawn.
awk -v pairs=42 -v prompts=6 -v itl=1.002 -f "$session" >many
shuffled many >many.mixed
formats="table json"
same many many.mixed
# Segments in another order, as cat puts them; of files likewise.
awk -v only=A -f "$session" >a
awk -v only=B -v itl=1.05 -f "$session" >b
mkdir parts
csplit -s -z -f parts/p a '/"kind":"header"/' '{*}'
cp a in
ab-compare --no-host --a in --b b >forward
: >in
for part in parts/p*; do
	cat "$part" in >longer
	mv longer in
done
cmp -s a in && echo 'not turned around'
ab-compare --no-host --a in --b b | cmp - forward
