#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# How late trace-serve's own events are, by streams and rate; medians would hide
# what matters here, so the tail of one run each is shown.
printf '%6s %8s %10s %9s %9s %9s %9s\n' streams tokens/s 'events/s' \
    'p50 us' 'p99 us' 'max us' 'cpu us'
for load in '1 50' '100 50' '1000 50' '1000 100'; do
	# shellcheck disable=SC2086
	"$B/bench/serve" $load "${SECONDS_EACH:-5}"
done
