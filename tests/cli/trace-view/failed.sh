#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A stream that says that it failed.
sed '$s/"interrupted"/"failed"/' "$FIXTURES/v1/wire.jsonl" >failed.wire
trace-view failed.wire | grep -A1 integrity
trace-view --id r1 failed.wire >out
