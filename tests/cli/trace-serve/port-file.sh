#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The port file has the port, and nothing is left beside it.
trace-serve -q --listen 0 --port-file port --for 50ms
grep -cE "^[0-9]+$" port
ls
