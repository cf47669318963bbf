#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# With -v on standard error.
printf "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n: x\n\n" >in
sse-timestamp -v --format lines in >out
