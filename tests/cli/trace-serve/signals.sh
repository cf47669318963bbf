#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# SIGINT and SIGTERM end it with 0.
# shellcheck source=tests/support/server.sh
. "$CLI/../support/server.sh"
server_free || exit 1
for s in INT TERM; do
	rm -f port
	env --default-signal=INT trace-serve -q --listen "$server_port" --port-file port \
	    --for 20s &
	while [ ! -f port ]; do sleep 0.02; done
	kill -s $s $!
	wait $!
	echo $?
done
