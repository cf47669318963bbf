#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Live streams of other dialects, times apart.
show()
{
	sse-timestamp --api "$1" --format lines <"$FIXTURES/sse/$2" |
	    sed 's/^ *[0-9.]* *[-0-9.]*m* *//' | cut -c 1-60
}
show messages anthropic-messages-tool-use.sse
show messages anthropic-error-overloaded.sse
show responses deepseek-responses-reasoning.sse
show gemini gemini-native-crlf-no-done.sse
show gemini vertex-gemini-array-reads.json
show cohere cohere-v2-chat.sse
