#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
awk -v prompts=120 -f "$FIXTURES/compare/session.awk" | ab-compare --margin 2%
