#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Rows for each point of a sweep; pairs within a point; one family.
point() { # concurrency itl hour pairs
	awk -v itl="$2" -v pairs="$4" -f "$FIXTURES/compare/session.awk" |
	    sed -e "s/\"api\":\"chat\"/\"labels\":{\"concurrency\":$1,\"set\":\"s\"},&/" \
		-e "s/T12:/T$3:/" -e "s/\"run_id\":\"[^\"]*\"/\"run_id\":\"r$1\"/"
}
for order in 4,16 16,4; do
	for c in ${order%,*} ${order#*,}; do
		if [ "$c" = 4 ]; then point 4 1.03 12 8; else point 16 1 13 8; fi
	done >in
	ab-compare --by concurrency in >out.$order
	echo $?
done
grep -v -e '^ ' -e '^round' out.4,16
cmp out.4,16 out.16,4
ab-compare --by set,concurrency -z 0 --format stream in |
    grep -o '"kind":"verdict".*"group":[^}]*}' | sed 's/"arm.*//'
# Other numbers of pairs: each point by itself, times two.
{ point 4 1.03 12 8; point 16 1 13 7; } | ab-compare --by concurrency |
    grep -e '^ab-compare' -e '^exact' -e itl
# The earlier looks of each point are held to by themselves.
look() { ab-compare --sequential --by concurrency "$@" in; }
look -z 0 --format stream >looked
look --looked looked | grep -e ^sequential -e ^refused
look --looked looked --alpha 0.01 | grep -c ^refused
ab-compare --by isl in
ab-compare --by '' in
