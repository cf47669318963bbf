#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# It takes no files.
trace-serve file
