#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A local name is an address, too.
trace-serve --listen localhost:0 --for 50ms
