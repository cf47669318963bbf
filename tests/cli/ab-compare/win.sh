#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
awk -v itl=0.95 -v noise=0.001 -f "$FIXTURES/compare/session.awk" >in
ab-compare --margin 3% in | sed '1,/^phase/d'
ab-compare in | grep ^overall
