#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A recording that was killed: parts without their exchange are a response.
head -n 5 "$FIXTURES/v1/wire.jsonl" >tape
sse-timestamp -z 0 --no-host --allow-truncated tape | sed 1d | jq -c \
    'select(.kind == "response" or .kind == "end") |
    [.kind, .id, .error.class, .events.class, .status]'
