#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A log that cannot be opened.
trace-serve --listen 0 --log no/log
