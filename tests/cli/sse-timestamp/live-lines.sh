#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One line an event; times are of one read, so all but the last are merged.
sse-timestamp --format lines "$FIXTURES/sse/openrouter-processing-comment.sse"
