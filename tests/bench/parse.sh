#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Event streams and JSON, read and written: nanoseconds an event.
exec "$B/bench/parse"
