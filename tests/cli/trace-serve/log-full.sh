#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A log that cannot be written ends it.
trace-serve -q --listen 0 --port-file port --log /dev/full --for 20s &
while [ ! -f port ]; do sleep 0.02; done
curl -s -o health --noproxy "*" "http://127.0.0.1:$(cat port)/health"
wait $!
echo $?
cat health
