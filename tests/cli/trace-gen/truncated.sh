#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A compressed file that is cut: what could be read is there, then 3.
awk 'BEGIN { for (i = 0; i < 30000; i++)
	printf "{\"text_input\":\"prompt %d\",\"output_length\":%d}\n", i, i % 97 + 1
}' | zstd -q -1 >whole.zst
head -c $(($(wc -c <whole.zst) / 2)) whole.zst >cut.zst
trace-gen -z 0 --no-host --from prompts cut.zst >out
echo $?
[ "$(grep -c '"kind":"request"' out)" -gt 1000 ] && tail -n 1 out | sed 's/[0-9][0-9]*/N/'
