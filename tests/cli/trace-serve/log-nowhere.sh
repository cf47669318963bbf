#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A log that cannot be opened.
# shellcheck source=tests/support/server.sh
. "$CLI/../support/server.sh"
server_free || exit 1
trace-serve --listen "$server_port" --log no/log
