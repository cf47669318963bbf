# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034
# deploy.sh: start and stop a user's server.  To be sourced.
#
#	deploy_start LOG CMD    runs CMD by a shell, in a group of processes of
#	                        its own, its output behind LOG; CMD may stay or
#	                        leave something behind that deploy_stop is told of
#	deploy_running          whether CMD still runs
#	deploy_stop [CMD]       runs CMD if there is one, then ends the group:
#	                        TERM, after deploy_patience seconds KILL
deploy_pid=''
: "${deploy_patience:=30}"

deploy_start() {
	setsid sh -c "$2" >>"$1" 2>&1 </dev/null &
	deploy_pid=$!
}

deploy_running() {
	[ -n "$deploy_pid" ] && kill -s 0 "$deploy_pid" 2>/dev/null
}

deploy_stop() {
	if [ -n "${1:-}" ]; then
		sh -c "$1" </dev/null >&2 ||
		    echo "the command that stops the server failed: $1" >&2
	fi
	[ -n "$deploy_pid" ] || return 0
	kill -s TERM -- "-$deploy_pid" 2>/dev/null || :
	deploy_left=$((deploy_patience * 10))
	while [ $deploy_left -gt 0 ] && kill -s 0 -- "-$deploy_pid" 2>/dev/null; do
		sleep 0.1
		deploy_left=$((deploy_left - 1))
	done
	kill -s KILL -- "-$deploy_pid" 2>/dev/null || :
	wait "$deploy_pid" 2>/dev/null || :
	deploy_pid=''
}
