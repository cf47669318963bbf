#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A file is not replaced, nor is the rest of a run that crashed.
trace-gen --isl 4 --osl 4 --count 1 --no-host -o t
echo keep >run.tape
trace-replay --url 127.0.0.1:9 --model m -o run.tape t
echo "exit $?"
rm run.tape
echo keep >run.tape.partial
trace-replay --url 127.0.0.1:9 --model m -o run.tape t
echo "exit $?"
cat run.tape.partial
trace-replay -q --url 127.0.0.1:9 --model m -o run.tape --force t 2>/dev/null
echo "exit $?"
ls
