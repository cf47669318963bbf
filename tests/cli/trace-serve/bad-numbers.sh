#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each bad value is named with its option; nothing is served.
for o in "--ttft 40" "--ttft 40ms,x" "--itl 0,1ms" "--osl 0" "--slots -1" \
    "--queue 1k" "--prefix-block 0" "--max-tokens 2000000" "--seed x" \
    "--draw-by luck" "--listen 70000" "--listen :80" "--for 5" \
    "--split 17" "--split 2,5" "--tokens-per-event 4-2" "--merge 0" \
    "--spin on" "--cadence odd" "--text none" \
    "--fault reset" "--fault quake:1" "--fault 500:2" "--fault 500:1/0"; do
	# shellcheck disable=SC2086
	trace-serve $o
	echo $?
done
