#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Completions, and an error in a field that SSE does not know.
sse-timestamp --api completions --format lines \
    "$FIXTURES/sse/vllm-completions-openai-client.sse" | head -n 3
printf "error: {\"message\":\"context size\"}\n\n" |
    sse-timestamp --format lines
