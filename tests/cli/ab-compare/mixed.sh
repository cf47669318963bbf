#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
awk -v ttft=0.9 -v itl=1.05 -f "$FIXTURES/compare/session.awk" | ab-compare |
    sed '1,/^phase/d'
