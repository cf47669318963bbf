#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A failed check, or a client that was the limit, is exit 1, and no more.
events() { awk -f "$CLI/../support/events.awk" -v requests=100 "$@"; }
try()
{
	events "$@" >in
	metrics-reduce -q --strict in >out
	echo "$? ${*:-all is well}"
	metrics-reduce -q in >out || echo "not strict: $?"
}
try
try -v verdict=suspect
try -v verdict=client-limited
try -v fail=50
try -v short=50
try -v short=3
try -v stop=interrupted
try -v stop=aborted
events -v stop=aborted -v cut=1 | metrics-reduce -q --strict >out
echo "$? cut"
