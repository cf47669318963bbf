# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# lib.sh: what a case says its experiment with.  To be sourced by run.sh, behind
# tests/support/server.sh, in the folder of the case.
#
#	server OPTION ...    trace-serve; the first one is URL, the second URL_B
#	front OPTION ...     the same behind a front that answers /v1/models
#	                     itself, each time with another name
#	plan_default         what holds where a case says nothing

plan_default()
{
	name='' api=chat model='' concurrency=4 rate='' arrivals=constant
	requests=40 warmup=4 isl=16 osl=16 sweep='' extra='' prompt=''
	shared='' stream=yes usage=yes rounds='' files='' load=''
	step_after_s='' url='' url_b=''
}

server()
{
	server_start "$dir/server.$((${#url} > 0)).log" "$@" || exit 1
	if [ -z "$url" ]; then
		url=$server_url
	else
		url_b=$server_url
	fi
}

front()
{
	server "$@"
	perl "$here/front.pl" "${server_url##*:}" "$dir/front.port" &
	server_pids="$server_pids $!"
	tries=0
	while [ ! -s "$dir/front.port" ] && [ "$tries" -lt 250 ]; do
		sleep 0.02
		tries=$((tries + 1))
	done
	url=http://127.0.0.1:$(cat "$dir/front.port")
}

# judged TOOL: what it says, in $dir/said.
judged()
{
	mkdir "$dir/work"
	(
		cd "$dir/work" || exit 1
		URL=$url URL_B=$url_b API=$api MODEL=$model
		CONCURRENCY=$concurrency RATE=$rate ARRIVALS=$arrivals
		REQUESTS=$requests WARMUP=$warmup ISL=$isl OSL=$osl SWEEP=$sweep
		EXTRA=$extra PROMPT=$prompt SHARED=$shared STREAM=$stream
		USAGE=$usage ROUNDS=$rounds FILES=$files LOAD=$load
		STEP_AFTER_S=$step_after_s
		export URL URL_B API MODEL CONCURRENCY RATE ARRIVALS REQUESTS \
		    WARMUP ISL OSL SWEEP EXTRA PROMPT SHARED STREAM USAGE \
		    ROUNDS FILES LOAD STEP_AFTER_S
		exec timeout -k 5 "$limit" "$1"
	) >"$dir/said" 2>"$dir/err" </dev/null
}
