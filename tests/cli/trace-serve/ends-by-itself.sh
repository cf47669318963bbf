#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# It says where it listens, and ends after --for.
trace-serve --listen 0 --for 50ms
