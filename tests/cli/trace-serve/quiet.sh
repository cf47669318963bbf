#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Nothing is said with -q.
# shellcheck source=tests/support/server.sh
. "$CLI/../support/server.sh"
server_free || exit 1
trace-serve -q --listen "$server_port" --for 50ms
