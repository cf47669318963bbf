#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Few values, no usage, several tokens an event, merged reads, a slow client.
events() { awk -f "$CLI/../support/events.awk" -v requests=12 "$@"; }
events -v usage=0 -v merged=4 -v verdict=suspect |
    metrics-reduce --format table
events | sed 's/"output":5/"output":15/' |
    metrics-reduce --format table | grep '^gap\|^+\|one_token\|length'
