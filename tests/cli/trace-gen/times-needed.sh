#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What is asked of times that are not there is refused.
echo '{"text":"a"}' >in
for o in --speedup=2 --arrivals=trace --arrivals=none; do
	trace-gen -z 0 --from prompts $o in | tail -n 1
done
