#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Three arms: two are to be named.
session="$FIXTURES/compare/session.awk"
awk -v itl=1.05 -v a=x -v b=y -f "$session" >in
awk -v only=A -f "$session" | sed -n '1,/"kind":"end"/p' |
    sed 's/"run":1,"api"/"run":1,"arm":"z","round":1,"api"/' >>in
ab-compare in
echo $?
ab-compare --arms y,x in | sed -n '1p; /^decode   itl/p; /^-/p'
ab-compare --arms y,nobody in | sed '1,/^$/d'
