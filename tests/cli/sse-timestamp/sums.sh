#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# With -v: how much there was, and how large its archive is for an event.
cp "$FIXTURES/v1/wire.jsonl" wire
sse-timestamp -v wire >/dev/null
wc -c <wire
