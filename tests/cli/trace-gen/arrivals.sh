#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The times of each law: golden, so that a seed goes on meaning the same.
law()
{
	trace-gen -z 0 --isl 5 --osl 3 --count 6 "$@" |
	    sed -n 's/.*"t_ns":\([0-9]*\).*/\1/p' | tr '\n' ' '
	echo
}
law
law --arrivals none
law --arrivals constant --rate 3
law --arrivals constant --rate 600/m
law --arrivals poisson --rate 10
law --rate 10
law --arrivals poisson --rate 10 --seed 1
law --arrivals gamma --rate 10
law --arrivals gamma --rate 10 --burstiness 0.25
law --arrivals gamma --rate 10 --burstiness 100
