#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Two servers cannot share a port.
# shellcheck source=tests/support/server.sh
. "$CLI/../support/server.sh"
server_free || exit 1
trace-serve -q --listen "$server_port" --port-file port --for 20s &
while [ ! -f port ]; do sleep 0.02; done
trace-serve --listen "$(cat port)" 2>err
echo $?
sed "s/port [0-9]*/port N/" err
kill $!
wait
