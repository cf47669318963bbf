#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A port file that cannot be written.
# shellcheck source=tests/support/server.sh
. "$CLI/../support/server.sh"
server_free || exit 1
trace-serve --listen "$server_port" --port-file no/port
