#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The log on standard output, as the requests end.
# shellcheck source=tests/support/server.sh
. "$CLI/../support/server.sh"
server_free || exit 1
trace-serve -q --listen "$server_port" --port-file port --log - --requests 2 &
while [ ! -f port ]; do sleep 0.02; done
curl -s -o one --noproxy "*" "http://127.0.0.1:$(cat port)/health"
curl -s -o two --noproxy "*" "http://127.0.0.1:$(cat port)/none?key=hidden"
wait $!
