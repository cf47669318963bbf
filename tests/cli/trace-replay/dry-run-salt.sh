#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Block prompts have another text in another round, of the same length; the
# same text in the same round.
trace-gen --isl 64 --osl 8 --count 1 --no-host -o t
prompt()
{
	trace-replay --url h --model m --dry-run "$@" t | tail -n 1
}
prompt >none
prompt --salt none >again
prompt --round 1 >one
prompt --round 2 >two
prompt --salt 2 >fixed
cmp none again
cmp two fixed
cmp -s none one && echo 'round 1 changes nothing'
cmp -s one two && echo 'round 2 is as round 1'
wc -w <none
wc -w <one
wc -w <two
