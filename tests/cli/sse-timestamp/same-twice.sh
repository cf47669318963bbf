#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The same bytes from the same input.
sse-timestamp -q --no-host "$FIXTURES/v1/wire.zst" >a
sse-timestamp -q --no-host "$FIXTURES/v1/wire.zst" >b
cmp a b && echo same
