#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A file gets a frame each 4 MiB, by -o and by redirection; a pipe gets one for
# all. The header and what ends a segment are frames of their own.
gen()
{
	trace-gen --no-host --isl 5 --osl 3 --count 60000 "$@"
}
gen -o named
gen >redirected
gen | cat >piped
for f in named redirected piped; do
	frames=$(zstd -lv $f 2>&1 | sed -n 's/^# Zstandard Frames: //p')
	echo "$f: $frames"
done
