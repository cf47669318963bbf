#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# An event cannot be both.
trace-serve --merge 2 --split 2
