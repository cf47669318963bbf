#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A log that cannot be written ends it.
# shellcheck source=tests/support/server.sh
. "$CLI/../support/server.sh"
server_free || exit 1
trace-serve -q --listen "$server_port" --port-file port --log /dev/full --for 20s &
while [ ! -f port ]; do sleep 0.02; done
curl -s -o health --noproxy "*" "http://127.0.0.1:$(cat port)/health"
wait $!
echo $?
cat health
