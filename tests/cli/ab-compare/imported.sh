#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What another tool has measured: from its requests, and from its summaries.
r=$FIXTURES/results
for i in 1 2 3; do
	sed "s/17960688/1796${i}688/g" "$r/aiperf-0.13.0.jsonl" >a
	sed "s/17960688/1796${i}698/g
		s/\"time_to_first_token\":{\"value\":2/\"time_to_first_token\":{\"value\":3/" \
	    "$r/aiperf-0.13.0.jsonl" >b
	metrics-reduce --import aiperf -o "a$i" a
	metrics-reduce --import aiperf -o "b$i" b
	sed "s/-200[0-9]*\"/-2${i}0000\"/" "$r/vllm-0.33.0.json" >c
	sed "s/-2${i}0000\"/-2${i}3000\"/
		s/\"mean_ttft_ms\": 2/\"mean_ttft_ms\": 3/
		s/\"median_ttft_ms\": 2/\"median_ttft_ms\": 3/" c >d
	metrics-reduce --import vllm -o "c$i" c
	metrics-reduce --import vllm -z 0 -o "d$i" d
done
ab-compare --a a1 a2 a3 --b b1 b2 b3 | grep '^round\|^ *[123]  \|ttft\|output  '
# Whose client it was is told, and both arms have the same one.
ab-compare --a c1 c2 c3 --b d1 d2 d3 | grep 'client'
for i in 1 2 3; do
	sed 's/"client":"[^"]*"/"client":"elsewhere 2.0"/' "d$i" >"e$i"
	sed 's/"client":"[^"]*",//' "d$i" >"f$i"
done
for b in e f; do
	ab-compare --a c1 c2 c3 --b ${b}1 ${b}2 ${b}3 2>&1 | grep 'client'
	ab-compare --vary client --a c1 c2 c3 --b ${b}1 ${b}2 ${b}3 |
	    grep 'client\|^overall'
done
ab-compare --a c1 c2 c3 --b d1 d2 d3 | grep '^round\|^ *[123]  \|ttft\|output  '
