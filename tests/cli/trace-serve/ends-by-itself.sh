#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# It says where it listens, and ends after --for.
# shellcheck source=tests/support/server.sh
. "$CLI/../support/server.sh"
server_free || exit 1
trace-serve --listen "$server_port" --for 50ms
