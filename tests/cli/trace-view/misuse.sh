#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Options that say nothing together.
for o in --timeline --no-index '--run 1' '--others --id a' '--json --id a' \
    '--width 20 --id a' '--x y'; do
	# shellcheck disable=SC2086
	trace-view $o "$FIXTURES/v1/wire.zst"
	echo "exit $?"
done
