#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# An answer that is no stream is one event, of its last read.
{
	sed -n 1p "$FIXTURES/v1/wire.jsonl"
	cat <<'END'
{"kind":"exchange","x":1,"run":1,"id":"b","attempt":1,"api":"chat","start_ns":0,"could_ns":-500,"due_ns":-1000,"head_ns":1000000,"head_lag_ns":2000,"end_ns":3000000,"status":200,"headers":[["Content-Type","application/json"]],"reads":{"t_ns":[1500000,2500000],"lag_ns":[1000,2000],"bytes":[20,37]},"body":"{\"choices\":[{\"index\":0,\"message\":{\"content\":\"Yes, no\"}}]}"}
{"kind":"end","records":1,"status":"complete"}
END
} >body.wire
trace-view --x 1 --timeline body.wire
