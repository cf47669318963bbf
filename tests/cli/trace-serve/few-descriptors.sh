#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# It says at once that slots cannot be filled, and at the end who had no place.
# shellcheck source=tests/support/server.sh
. "$CLI/../support/server.sh"
server_free || exit 1
# shellcheck disable=SC3045 # dash and bash have it
ulimit -n 70 || exit 77
trace-serve --listen "$server_port" --slots 100 --for 50ms
