#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Nothing is said with -q.
trace-serve -q --listen 0 --for 50ms
