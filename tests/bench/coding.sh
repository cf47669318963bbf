#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Records to text and back: nanoseconds a record, and an element of its arrays.
exec "$B/bench/coding"
