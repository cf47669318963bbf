#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Markdown for a comment; a label cannot add to it.
session="$FIXTURES/compare/session.awk"
awk -v itl=1.05 -v ttft=0.9 -v pairs=6 -f "$session" |
    ab-compare --format markdown
echo $?
awk -v a='x|`y`' -v b='<z>*' -v pairs=1 -f "$session" |
    ab-compare --format markdown | sed -n '1p;/^- A is/p;/refused/p'
