#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# No server: exit 4, with the model given and without, and a whole stream.
trace-gen --isl 4 --osl 4 --count 3 --no-host -o t
trace-replay --url 127.0.0.1:9 t >tape
echo "exit $?"
trace-replay --url 127.0.0.1:9 --model m --no-host -z 0 t >tape
echo "exit $?"
grep -c '"error":{"class":"connect","cause":"refused"' tape
tail -n 1 tape
trace-replay --url no-such-host.invalid --model m --warmup 0 t >tape
echo "exit $?"
