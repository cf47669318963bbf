#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A profile that is none is refused before anything is read, with its line.
try()
{
	metrics-reduce --format table --offline "$1" nowhere
	echo "$1: exit $?"
}
printf '{\n"prefill": {\n"total_runs": 1,\n}}\n' >syntax
try syntax
printf '{\n"prefill": {\n"total_runs": "1"}}\n' >number
try number
printf '{"stages": []}\n' >empty
try empty
try missing
