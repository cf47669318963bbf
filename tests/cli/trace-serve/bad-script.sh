#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A script that is none is named with its line; nothing is served.
printf '# rules\n\n{"nth":1}\n{"nth":2,"body":"x"}\n' >bad
for f in bad missing; do
	trace-serve --script $f
	echo $?
done
