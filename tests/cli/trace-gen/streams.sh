#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Standard streams that are closed, full, or folders.
trace-gen --isl 5 --osl 3 --count 1 >&-
echo $?
trace-gen --isl 5 --osl 3 --count 1 >/dev/full
echo $?
trace-gen --isl 5 --osl 3 --count 1 -z 0 >/dev/full
echo $?
trace-gen --help >/dev/full
echo $?
trace-gen -z 0 --no-host --from prompts <&- | tail -n 1
trace-gen --from prompts <&- >/dev/null
echo $?
trace-gen --from prompts . >out
echo "$? $(wc -c <out)"
trace-gen --from prompts missing >out
echo "$? $(wc -c <out)"
trace-gen --from prompts missing 2>&- >out
echo "$? $(wc -c <out)"
trace-gen --isl 5 >&- 2>&-
echo $?
