#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# -o in all its ways; nothing is left behind.
gen()
{
	trace-gen -z 0 --no-host --isl 5 --osl 3 --count 1 "$@"
	echo $?
}
gen -o new && tail -n 1 new
echo old >old && gen -o old && tail -n 1 old
gen -o - | tail -n 2
gen -o /dev/stdout | tail -n 2
gen -o /dev/null
gen -o nodir/x
gen -o .
gen -o /dev/full
mkfifo fifo && (trace-gen -z 0 --isl 5 --osl 3 --count 1 -o fifo &) && tail -n 1 fifo
ln -s target link && gen -o link && test ! -L link && echo 'a link to nothing is replaced'
ln -sf target link && echo x >target && gen -o link && test -L link && tail -n 1 target
chmod 600 old && gen -o old && find old -perm 600
rm fifo link
ls
