#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Looks that were planned, and no others.
for n in 5 8 10 12; do
	awk -v pairs=$n -v itl=1.01 -v noise=.004 \
	    -f "$FIXTURES/compare/session.awk" |
	    ab-compare --looks 6,8,12 --spending pocock --primary itl >out
	echo "$?: $(sed -n 2p out)"
	grep -e '^decode   itl' -e ^overall -e ^sequential out
done
for looks in 8,8 2,9 8,x ''; do
	ab-compare --looks "$looks" /dev/null
	echo $?
done
ab-compare --spending obf /dev/null
ab-compare --looked x /dev/null
ab-compare --sequential --looks 8 /dev/null
ab-compare --primary tpot /dev/null
