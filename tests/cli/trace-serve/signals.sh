#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# SIGINT and SIGTERM end it with 0.
for s in INT TERM; do
	rm -f port
	env --default-signal=INT trace-serve -q --listen 0 --port-file port \
	    --for 20s &
	while [ ! -f port ]; do sleep 0.02; done
	kill -s $s $!
	wait $!
	echo $?
done
