#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Misuse says so in one line, exits with 2, and writes nothing.
bad()
{
	trace-gen "$@" >out </dev/null
	echo "$? $(wc -c <out)"
}
bad
bad --isl 5
bad --isl 5 --osl 5
bad --isl 5 --osl 5 --count
bad --isl 5 --osl 5 --count 0
bad --isl 5 --osl 5 --count 1e3
bad --isl 0 --osl 5 --count 1
bad --isl 5,-1 --osl 5 --count 1
bad --isl 5, --osl 5 --count 1
bad --isl 5,1,1 --osl 5 --count 1
bad --isl nan --osl 5 --count 1
bad --isl 5 --osl 5 --count 1 file
bad --isl 5 --osl 5 --count 1 --from azure
bad --from
bad --from csv
bad --from azure --count 3
bad --from azure --osl 3
bad --from azure --block-size 16
bad --from prompts --block-size 16
bad --from mooncake --block-size 0
bad --isl 5 --osl 5 --count 1 --block-size 16
bad --isl 5 --osl 5 --count 1 --speedup 2
bad --from azure --speedup 0
bad --from azure --speedup inf
bad --from azure --speedup 2 --rate 3 --arrivals poisson
bad --from azure --rate 3 --arrivals none
bad --from azure --arrivals poisson
bad --from azure --arrivals often
bad --from azure --arrivals poisson --rate 0
bad --from azure --arrivals poisson --rate 3 --burstiness 2
bad --from azure --arrivals gamma --rate 3 --burstiness 0
bad --from azure --burstiness 2
bad --isl 5 --osl 5 --count 1 --arrivals trace
bad --isl 5 --osl 5 --count 1 --label isl=7
bad --isl 5 --osl 5 --count 1 --label osl=7
bad --isl 5 --osl 5 --count 1 --label x
bad --isl 5 --osl 5 --count 1 --label =7
bad --isl 5 --osl 5 --count 1 --label a=1 --label a=2
bad --isl 5 --osl 5 --count 1 --seed 9007199254740992
bad --isl 5 --osl 5 --count 1 --seed -1
bad --isl 5 --osl 5 --count 1 --limit 0
bad --isl 5 --osl 5 --count 1 --max-input-tokens 0
bad --isl 5 --osl 5 --count 1 -z 99
bad --isl 5 --osl 5 --count 1 -o ''
bad --colour
bad -x
