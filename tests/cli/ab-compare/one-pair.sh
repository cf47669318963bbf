#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
awk -v pairs=1 -v itl=1.5 -f "$FIXTURES/compare/session.awk" | ab-compare
