#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Counts and lateness at the end.
# shellcheck source=tests/support/server.sh
. "$CLI/../support/server.sh"
server_free || exit 1
trace-serve -v --listen "$server_port" --for 50ms
