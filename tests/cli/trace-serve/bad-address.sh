#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# An address of somebody else.
trace-serve --listen 192.0.2.1:8000 --for 1s
