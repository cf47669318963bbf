#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In whichever order the responses come, the summaries are the same.
awk -v requests=300 -v fail=7 -f "$CLI/../support/events.awk" >a
{ sed -n 1,2p a; sed -n '3,304p' a | sort -r; sed -n '305,$p' a; } >b
cmp -s a b && echo 'the order is the same'
metrics-reduce --format csv --by isl a >a.csv
metrics-reduce --format csv --by isl b >b.csv
cmp a.csv b.csv && wc -l <a.csv
