#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs of a pair are of one session: near in time, and of one boot.
session="$FIXTURES/compare/session.awk"

told()
{
	ab-compare "$@" >out
	echo "$?: $(grep -c ^refused out) refused"
	grep ^refused out
}

# Days that alternate are not interleaving.
awk -v every=86400 -f "$session" >days
told days
told --within 48h days
# 29 and 31 minutes between the end of one run and the start of the next.
awk -v every=1755 -f "$session" >near
told near
awk -v every=1875 -f "$session" >far
told far

# Another boot.
awk -v only=A -v boot=11 -f "$session" >A
awk -v only=B -v boot=22 -f "$session" >B
told --a A --b B
told --vary boot --a A --b B
awk -v only=B -v boot=11 -f "$session" >B
told --a A --b B

# Yesterday's archive against today's.
awk -v only=B -v day=86400 -f "$session" >B
told --a A --b B
