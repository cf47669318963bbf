#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The port file has the port, and nothing is left beside it.
# shellcheck source=tests/support/server.sh
. "$CLI/../support/server.sh"
server_free || exit 1
trace-serve -q --listen "$server_port" --port-file port --for 50ms
grep -cE "^[0-9]+$" port
ls
