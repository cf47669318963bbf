#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A local name is an address, too.
# shellcheck source=tests/support/server.sh
. "$CLI/../support/server.sh"
server_free || exit 1
trace-serve --listen "localhost:$server_port" --for 50ms
