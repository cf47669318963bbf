#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Nothing in the input moves the cursor or breaks a line.
awk -v requests=3 -v fail=3 -f "$CLI/../support/events.awk" |
    sed 's/"arm":"A"/"arm":"\\u001b[2J\\n!"/
	s/"id":"r3"/"id":"\\u001b]0;x\\u0007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"/
	s/"class":"reset"/"class":"a\\rb"/
	s/"finish":\["length"\]/"finish":["\\u001b[31m"]/' |
    metrics-reduce --format table --worst 3 >out
grep -c "$(printf '[\001-\011\013-\037\177]')" out
grep 'arm\|errors\|finish\|a?b' out
