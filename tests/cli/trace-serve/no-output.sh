#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# There is no stream to write.
trace-serve -o file
