#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Single runs, labelled with arm, round and session, in files of any order.
awk -v only=A -v itl=1.05 -f "$FIXTURES/compare/session.awk" >a
awk -v only=B -v itl=1.05 -f "$FIXTURES/compare/session.awk" >b
label() # ARM FILE
{
	awk -v arm="$1" '
	/"kind":"header"/ { n++; file = arm n }
	{
		sub(/"run":1,"api"/, "\"run\":1,\"arm\":\"" arm "\",\"round\":" n \
		    ",\"session\":\"night\",\"api\"")
		print > file
	}' "$2"
}
label base a
label new b
awk -v itl=1.05 -v a=base -v b=new -f "$FIXTURES/compare/session.awk" |
    ab-compare >want
cat new* base* | ab-compare >got
echo $?
diff want got
ab-compare base[5-8] new* base[1-4] >got
diff want got
ab-compare --arms new,base base* new* | sed -n '1p; /^decode   itl/p'
# Without labels there is nothing to go by.
ab-compare a b
echo $?
