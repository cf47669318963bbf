# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034
# server.sh: start and stop trace-serve in scripts.  To be sourced.
#
#	server_start LOG OPTION ...   on a free port below 32768; sets server_url,
#	                              server_pid; the server's own log is LOG
#	server_stop                   ends all that were started
#	server_free                   sets server_port to one that nobody has, for
#	                              a case that starts its own
server_pids=''

server_start() {
	server_log=$1
	shift
	server_port=$((10000 + ($$ * 31 + ${#server_pids} * 101) % 20000))
	server_tries=0
	rm -f "$server_log.port"
	while [ $server_tries -lt 20 ]; do
		trace-serve -q --listen "127.0.0.1:$server_port" \
		    --port-file "$server_log.port" --log "$server_log" "$@" &
		server_pid=$!
		server_wait=0
		while [ $server_wait -lt 250 ] &&
		    kill -0 "$server_pid" 2>/dev/null; do
			if [ -s "$server_log.port" ]; then
				server_pids="$server_pids $server_pid"
				server_url=http://127.0.0.1:$server_port
				return 0
			fi
			sleep 0.02
			server_wait=$((server_wait + 1))
		done
		kill "$server_pid" 2>/dev/null || :
		server_port=$((10000 + (server_port - 10000 + 1237) % 20000))
		server_tries=$((server_tries + 1))
	done
	echo "server_start: no free port found" >&2
	return 1
}

server_stop() {
	for server_p in $server_pids; do
		kill "$server_p" 2>/dev/null || :
	done
	for server_p in $server_pids; do
		wait "$server_p" 2>/dev/null || :
	done
	server_pids=''
}

server_free() {
	server_port=$((10000 + $$ * 37 % 20000))
	server_tries=0
	while [ $server_tries -lt 20 ]; do
		trace-serve -q --listen "$server_port" --for 1ms 2>/dev/null &&
		    return 0
		server_port=$((10000 + (server_port - 10000 + 1237) % 20000))
		server_tries=$((server_tries + 1))
	done
	echo "server_free: no free port found" >&2
	return 1
}
