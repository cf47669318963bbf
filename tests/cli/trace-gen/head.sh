#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A reader that leaves ends it quietly, by SIGPIPE.
trace-gen -z 0 --no-host --isl 5 --osl 3 --count 100000 | head -n 1 | cut -c1-50
sh -c 'trace-gen -z 0 --isl 5 --osl 3 --count 100000; echo $? >code' | head -n 1 >out
cat code
