#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A trace whose making failed says so.
trace-gen --isl 4 --osl 4 --count 3 -z 0 --no-host |
    sed 's/"status":"complete"/"status":"failed"/' >t
trace-replay --url 127.0.0.1:9 t
