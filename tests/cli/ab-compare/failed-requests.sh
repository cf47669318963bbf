#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
awk -v fail=2 -f "$FIXTURES/compare/session.awk" | ab-compare | sed '1,/^phase/d'
awk -v fail=24 -f "$FIXTURES/compare/session.awk" | ab-compare |
    sed -n '/^overall/,/^refused/p'
