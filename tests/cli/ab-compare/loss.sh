#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
awk -v itl=1.05 -f "$FIXTURES/compare/session.awk" | ab-compare --margin 2%
