#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Help goes to standard output, with 0, whatever else is there.
trace-gen --help
trace-gen -h --isl >h && trace-gen --help | cmp - h
