#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Equal work: lengths, reasons to finish, caches, identical answers.
session() { awk "$@" -f "$FIXTURES/compare/session.awk"; }
told()
{
	ab-compare "$1" >out
	grep '^[!-] ' out | grep -v 'p99 of\|order:\|by-chance\|beyond'
}

# Half of the answers are longer: itl is over the other half.
session -v longer=12 -v itl=1.05 >in
told in
grep ' itl ' out
# Too few are of equal length for that.
session -v longer=20 >in
told in
# A few longer ones, which change the mean by less than 1 %: all are compared.
session -v longer=1 -v prompts=60 >in
told in

same='"finish":["stop"],"text_sha256":"%d","tokens":{"input":100,"cached":0,"output":21,"source":"usage"}'
session -v ra="$same" -v rb="$same" >in
told in
session -v ra="$same" \
    -v rb='"finish":["length"],"text_sha256":"%d x","tokens":{"input":103,"cached":52,"output":21,"source":"usage"}' >in
told in
