#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Of a response, events without their bytes.
cp "$FIXTURES/v1/events.zst" run.events
trace-view --id r1 --timeline run.events
