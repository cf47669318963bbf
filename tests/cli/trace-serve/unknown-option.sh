#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# An option that there is not.
trace-serve --ttfb 40ms
