#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
awk -v first=A -v itl=1.02 -f "$FIXTURES/compare/session.awk" | ab-compare |
    sed '1,/^phase/d'
