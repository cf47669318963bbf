#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Records, to a file by default: header, rows, verdict, end.
awk -v itl=1.05 -f "$FIXTURES/compare/session.awk" >in
ab-compare --no-host -o out.report in
echo $?
zstd -dcq out.report >records
jq -r '.kind' records | uniq -c | sed 's/^ *//'
tail -n 1 records
head -n 1 records
ab-compare --no-host -z 0 --format stream in | sed 1d >plain
sed 1d records | cmp - plain
# It is a stream that readers know.
ab-compare out.report
echo $?
