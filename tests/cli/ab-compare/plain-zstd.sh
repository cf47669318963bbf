#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Plain or compressed, from a file or a pipe: the same.
awk -v itl=1.05 -f "$FIXTURES/compare/session.awk" >plain
zstd -q -1 plain -o packed
ab-compare plain >one
echo $?
ab-compare packed >two
ab-compare <packed >three
cmp one two && cmp one three && wc -l <one
