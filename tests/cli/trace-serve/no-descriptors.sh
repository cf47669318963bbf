#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Connections over the limit of descriptors are closed at once, and counted.
# shellcheck source=tests/support/server.sh
. "$CLI/../support/server.sh"
server_free || exit 1
(
	# shellcheck disable=SC3045 # dash and bash have it
	ulimit -n 66 || exit 77
	exec trace-serve --listen "$server_port" --port-file port \
	    --ttft 10s --for 1s
) 2>err &
pid=$!
while [ ! -f port ] && kill -0 $pid 2>/dev/null; do sleep 0.02; done
n=0
while [ $n -lt 36 ]; do
	curl -s -o /dev/null --noproxy "*" --max-time 5 -d '{"prompt":"x"}' \
	    "http://127.0.0.1:$server_port/v1/completions" &
	n=$((n + 1))
done
wait $pid
code=$?
wait
grep -v listening err | sed 's/[0-9]* connections were/N connections were/' >&2
exit $code
