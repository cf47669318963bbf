#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Says where those that there are stand.
sse-timestamp --api smtp "$FIXTURES/v1/wire.zst"
