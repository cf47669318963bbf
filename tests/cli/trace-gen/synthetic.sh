#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Requests of one length, and of varied lengths with arrivals and labels.
trace-gen -z 0 --no-host --isl 5 --osl 3 --count 2 | sed 's/"words":.*,"first":.*/.../'
trace-gen -z 0 --no-host --isl 800,200 --osl 150,50 --count 6 --seed 7 \
    --arrivals poisson --rate 5 --label site=lab --label n=3 | grep '"kind":"request"'
