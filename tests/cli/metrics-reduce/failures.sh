#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Failures by class and cause: how many, one message without its secret, and
# what to do.
awk -v requests=40 -v fail=4 -f "$CLI/../support/events.awk" | awk '
function say(class, cause, message)
{
	gsub(/"class":"reset","cause":"rst","message":"[^"]*"/, "\"class\":\"" \
	    class "\",\"cause\":\"" cause "\",\"message\":\"" message "\"")
}
/"class":"reset"/ {
	n++
	if (n > 1 && n <= 6)
		say("http", "refused-field", "no field api_key=sk-secret-1")
	else if (n == 7 || n == 8)
		say("http", "queue-full", "busy; Retry-After: 7")
	else if (n == 9)
		say("stream", "mid-answer", "boom")
	else if (n == 10)
		say("http", "brand-new", "?")
}
{ print }' >events
metrics-reduce --format table events | sed -n '/^  failures/,/^$/p'
metrics-reduce --format json events |
    jq -c '.segments[].runs[].failures[] | [.class, .cause, .n, .of, .id]'
metrics-reduce -z 0 --no-host events | grep -c '"kind":"failure"'
metrics-reduce -z 0 --no-host events | grep '"kind":"failure"' |
    grep -c 'sk-secret'
