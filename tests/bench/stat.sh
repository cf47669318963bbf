#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Sorting, describing, sign flips, max-T: medians in milliseconds.
exec "$B/bench/stat"
