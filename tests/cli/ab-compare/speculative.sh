#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Speculative against normal decoding: the time of a token, never gaps.
session() { awk "$@" -f "$FIXTURES/compare/session.awk"; }
told()
{
	ab-compare "$1" >out
	grep -c ' gap p99 ' out
	grep 'acceptance' out
}

engine='"acceptance":"profile","acceptance_ratio":0.712,"acceptance_length_tokens":2.9,"generation":"eagle_generation"'
session -v eb="$engine" -v itl=0.6 >in
told in
session -v chunk=3 -v itl=0.6 >in
told in
counted='"tokens":{"output":21,"source":"usage","accepted":15,"rejected":5}'
session -v ra="$counted" -v rb="$counted" >in
told in
# Nothing says so, and nothing is said.
session >in
told in
:
