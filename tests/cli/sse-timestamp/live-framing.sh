#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Lines, an array, and binary messages; and what is none of them.
show() {
	sse-timestamp --format lines "$@" | cut -c 24-
}
show --api ollama "$FIXTURES/sse/ollama-native-chat.ndjson" | head -n 3
printf "{\"message\":{\"content\":\"Hi\"},\"done\":false}\n{\"done\":true}" |
    show --api ollama
show --api gemini "$FIXTURES/sse/vertex-gemini-array-reads.json"
show --api bedrock "$FIXTURES/sse/bedrock-converse-nova.eventstream"
printf "event: messageStop\ndata: {\"stopReason\":\"end_turn\"}\n\n" |
    show --api bedrock
printf "[{\"candidates\":[]} {}]" | sse-timestamp --api gemini >out
echo $?
