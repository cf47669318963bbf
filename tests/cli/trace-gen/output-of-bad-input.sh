#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A bad row: -o has what came before. A missing file: what was there stays.
printf '{"text":"a"}\nx\n' >in
echo old >out
trace-gen -z 0 --from prompts -o out missing
echo $? && cat out
trace-gen -z 0 --from prompts -o out in missing
echo $? && cat out
trace-gen -z 0 --from prompts -o out in
echo $? && tail -n 1 out
ls
