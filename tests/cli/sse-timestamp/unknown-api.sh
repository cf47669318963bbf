#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Names what there is.
sse-timestamp --api smtp "$FIXTURES/v1/wire.zst"
