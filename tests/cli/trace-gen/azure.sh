#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Azure of 2023 (CRLF, no LF at the end), of 2024 and 2025; two files.
printf '\357\273\277TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:15:46.6805900,374,44\r\n2023-11-16 18:15:50.9951690,396,109' >a
printf 'TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-12 00:00:00.001163+00:00,1,2\n2024-05-12 00:00:00.1+00:00,3,4\n2024-05-12 00:00:01+00:00,5,0\n' >b
printf 'TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n2024-10-15T12:00:00.269Z,1,700,8\n' >c
for f in a b c; do
	trace-gen -z 0 --no-host --from azure $f | grep '"kind":"request"'
done
trace-gen -z 0 --no-host --from azure b c | grep -o '"t_ns":[0-9]*'
