#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Tables as benchstat's, but p is adjusted and nothing is "~".
session="$FIXTURES/compare/session.awk"
awk -v itl=1.05 -v fail=1 -f "$session" | ab-compare --format benchstat
echo $?
# One run of an arm has no interval.
awk -v pairs=1 -f "$session" | ab-compare --format benchstat | sed 4q
