#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
awk -f "$FIXTURES/compare/session.awk" >in
for format in table json stream; do
	ab-compare --format $format in >/dev/full
	echo $?
done
