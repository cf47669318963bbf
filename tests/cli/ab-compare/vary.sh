#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Another model is refused, unless that is what is compared.
awk -v model=m-fp8 -v itl=1.05 -f "$FIXTURES/compare/session.awk" >in
ab-compare in | sed -n '/^overall/,$p'
ab-compare --vary load,model in >out
echo $?
grep ^overall out
