#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Ctrl-C in the last run: it is left out.
awk -v stop=interrupted -v itl=1.05 -f "$FIXTURES/compare/session.awk" |
    sed 's/"status":"complete"/"status":"interrupted"/' >in
ab-compare in >out
echo $?
sed -n '1p; /^overall/,$p' out

# Of two lists of files, too, and in what is written.
for arm in A B; do
	awk -v only=$arm -v itl=1.05 -f "$FIXTURES/compare/session.awk" >$arm
done
sed 's/"status":"complete"/"status":"interrupted"/' A >A.cut
ab-compare --a A.cut --b B 2>/dev/null | sed -n '/^overall/,/^!/p'
ab-compare --format stream -z 0 --a A.cut --b B 2>/dev/null | tail -n 1
