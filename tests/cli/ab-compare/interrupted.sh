#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Ctrl-C in the last run: it is left out.
awk -v stop=interrupted -v itl=1.05 -f "$FIXTURES/compare/session.awk" |
    sed 's/"status":"complete"/"status":"interrupted"/' >in
ab-compare in >out
echo $?
sed -n '1p; /^overall/,$p' out
