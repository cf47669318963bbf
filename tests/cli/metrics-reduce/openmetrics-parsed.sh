#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Prometheus' own parser for OpenMetrics takes it all.
python3=/usr/bin/python3
"$python3" -c 'import prometheus_client' 2>/dev/null || {
	echo "no python3-prometheus-client" >&2
	exit 77
}
{
	awk -v requests=1000 -v fail=40 -f "$CLI/../support/events.awk"
	awk -v requests=12 -v usage=0 -f "$CLI/../support/events.awk" |
	    sed 's/"run_id":"[^"]*"/"run_id":"other"/
		s/"arm":"A"/"arm":"\\"\\\\\\n{}\\u00e4"/'
} >two
awk -f "$CLI/../support/samples.awk" >samples
for by in '' '--by isl' '--by isl,site,arm' --failures-as-infinite \
    '--telemetry samples'; do
	# shellcheck disable=SC2086
	metrics-reduce --format openmetrics $by two >text
	"$python3" -c '
import sys
from prometheus_client.openmetrics import parser
families = list(parser.text_string_to_metric_families(sys.stdin.read()))
names = [f.name for f in families]
print(len(names) == len(set(names)), len(families) > 60,
    {f.type for f in families} == {"gauge", "summary"},
    all(s.labels["run"] == "1" for f in families for s in f.samples))
' <text
done
