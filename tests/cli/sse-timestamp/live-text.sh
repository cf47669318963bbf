#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Data and whole lines; bytes that are not text are replaced.
printf "event: x\ndata: a\377b\000c\033[1md\302\233e\n\n" >in
sse-timestamp -z 0 --no-host --text in | sed 1d
sse-timestamp --format lines --text in
{ printf "data: "; awk "BEGIN { for (i = 0; i < 60; i++) printf \"0123456789\" }"
  printf "\n\n"; } >long
sse-timestamp --format lines long
sse-timestamp --format lines --text long | wc -c
