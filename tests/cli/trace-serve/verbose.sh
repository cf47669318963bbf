#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Counts and lateness at the end.
trace-serve -v --listen 0 --for 50ms
