#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Ctrl-C: from a pipe it goes on to the end; else it ends, and -o leaves nothing;
# so do SIGTERM and SIGHUP. What a shell ignores for a background job stays so.
as_usual='env --default-signal=INT,TERM,HUP'
rows()
{
	echo '{"text":"a"}'
	while [ ! -e go ]; do sleep 0.02; done
	echo '{"text":"b"}'
}
begun()
{
	pid=$!
	while [ -z "$(ls out.tmp.* 2>/dev/null)" ]; do sleep 0.02; done
}
ended()
{
	touch go
	wait "$pid" 2>/dev/null
	echo "$1 $?"
	rm -f go
}
mkfifo fifo
for from in - fifo; do
	rows >fifo &
	if [ $from = - ]; then
		$as_usual trace-gen -z 0 --from prompts -o out <fifo &
	else
		$as_usual trace-gen -z 0 --from prompts -o out fifo &
	fi
	begun
	kill -s INT "$pid"
	sleep 0.1
	ended "one, reading $from"
	tail -n 1 out
	rm out
done
rows >fifo &
$as_usual trace-gen --from prompts -o out <fifo &
begun
kill -s INT "$pid"
sleep 0.1
kill -s INT "$pid"
ended two
rows >fifo &
$as_usual trace-gen --from prompts -o out <fifo &
begun
kill -s TERM "$pid"
ended TERM
for s in INT TERM HUP; do
	$as_usual trace-gen --isl 5 --osl 3 --count 1000000000 -o out &
	begun
	kill -s $s "$pid"
	ended $s
done
trace-gen --isl 5 --osl 3 --count 300000 -o out &
begun
kill -s INT "$pid"
ended 'in the background'
zstdcat out | tail -n 1
ls
