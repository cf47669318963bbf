#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The chains of all inputs, joined.
for arm in A B; do
	awk -v only=$arm -v pairs=3 -f "$FIXTURES/compare/session.awk" >$arm
done
ab-compare --no-host --format stream -z 0 --a A --b B | sed -n 1p | jq -c .
