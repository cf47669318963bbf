#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Nothing that a server or a user wrote moves the cursor.
sed 's/dich/a\\u001b[2J\\u0085\\u202eb/; s/"run_id":"/&\\u001b]0;x\\u0007/
    s/"bytes":\[62,61/"bytes":[62,68/' "$FIXTURES/v1/wire.jsonl" >run.wire
trace-view --id r1 --timeline run.wire | cat -v | grep -e 2J -e DAMAGED
trace-view run.wire | cat -v | grep 'run id'
