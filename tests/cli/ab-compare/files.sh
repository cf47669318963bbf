#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Files for each arm, without labels, are as the session in one stream; the
# order of the files does not matter.
session="$FIXTURES/compare/session.awk"
for arm in A B; do
	awk -v only=$arm -v itl=1.05 -f "$session" |
	    awk -v arm=$arm '/"kind":"header"/ { n++ } { print > (arm n) }'
done
awk -v itl=1.05 -f "$session" | ab-compare >want
ab-compare --a A[1-8] --b B[1-8] >got
echo $?
diff want got
ab-compare --b B8 B[1-7] --a A3 A4 --a A1 A2 A[5-8] --alpha 0.05 >got
echo $?
diff want got
# Files that are not what was said.
ab-compare --a A[1-8] --b B[1-7] | sed -n '/^overall/,$p'
awk -f "$session" >both
ab-compare --a both --b B1
echo $?
