#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# User, password and query of a page do not get into the stream.
telemetry-sample --prometheus 'http://me:sesame@127.0.0.1:9/m?key=sesame' \
    --for 20ms -z 0 >out 2>err
echo $?
grep -c sesame out err
