#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The share of false rows instead of any; the exact interval; few rows.
awk -v ttft=0.99 -v itl=1.01 -v noise=.01 \
    -f "$FIXTURES/compare/session.awk" >in
ab-compare --exploratory in | sed -e '/^round/,/^$/d'
ab-compare --exploratory -z 0 --format stream in |
    grep -o -e '"adjust":"[a-z-]*"' -e '"exploratory":true'
ab-compare --ci exact --primary itl,latency in | sed -e '/^round/,/^$/d'
