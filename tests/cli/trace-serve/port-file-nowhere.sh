#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A port file that cannot be written.
trace-serve --listen 0 --port-file no/port
