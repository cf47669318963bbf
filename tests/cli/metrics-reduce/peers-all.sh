#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One run by the definitions of all, beside ours, and why they differ.
awk -v requests=120 -v fail=40 -v short=50 -f "$CLI/../support/events.awk" |
    metrics-reduce --format table --definitions all | sed -n '/ ours /,$p'
