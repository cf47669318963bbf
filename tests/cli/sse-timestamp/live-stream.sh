#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Records, of which the times are not known here.
sse-timestamp -z 0 --no-host <"$FIXTURES/sse/mistral-chat-content-in-finish.sse" |
    sed "1s/\"epoch.*\"prov\"/\"prov\"/; 1s/\"started\":\"[^\"]*\"/\"started\"/"
