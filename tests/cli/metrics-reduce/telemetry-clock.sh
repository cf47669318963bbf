#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Samples of another clock are refused: of another boot, of another host, and
# where only a later run of the input has theirs.  So is what is no telemetry.
support=$CLI/../support
awk -f "$support/events.awk" >events
try()
{
	metrics-reduce --format table --telemetry "$1" events >out
	echo "$1: exit $?, $(wc -l <out) lines"
}
awk -v boot=40 -v what=smi -f "$support/samples.awk" >boot
try boot
sed 's/"prov":\[\]/"prov":[{"id":"p1","tool":"trace-replay","host":"lab1"}]/' \
    events >there && mv there events
awk -v host=lab2 -v what=smi -f "$support/samples.awk" >host
try host
awk -v host=lab1 -v what=smi -f "$support/samples.awk" >fits
try fits
metrics-reduce --format table --telemetry fits --telemetry boot events >out
echo "fits and boot: exit $?, $(wc -l <out) lines"
awk -v requests=0 -f "$support/events.awk" >none
try none
grep -v '"kind":"end"' fits >broken
try broken
metrics-reduce --format table --telemetry broken --allow-truncated events >out
echo "allowed: exit $?, $(wc -l <out) lines"
metrics-reduce --format table --telemetry fits events >once
metrics-reduce --format table --telemetry fits --telemetry fits events |
    cmp - once && echo "twice is once"
awk -v host=lab1 -v what=smi -v from=-425 -f "$support/samples.awk" >between
try between
metrics-reduce --format table --telemetry fits --telemetry between events >out
echo "fits and between: exit $?, $(wc -l <out) lines"
try missing
