#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A trace has to be played first; metrics come later.
cd "$FIXTURES/bad" || exit
sse-timestamp wrong-kind-trace.jsonl
echo $?
sse-timestamp <wrong-kind-metrics.jsonl
echo $?
