# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034
# deploy.sh: start and stop a user's server.  To be sourced.
#
#	deploy_start LOG CMD    runs CMD by a shell, in a group of processes of
#	                        its own, its output behind LOG; CMD is the server,
#	                        or starts one that deploy_stop is told how to stop
#	deploy_died             whether CMD has ended with another status than 0;
#	                        deploy_status is that status
#	deploy_stop [CMD]       runs CMD if there is one, then ends the group:
#	                        TERM, after deploy_patience seconds KILL
deploy_pid=''
deploy_log=''
: "${deploy_patience:=30}"

# The shell outlives a TERM to the group, for it has to collect its child: where
# process 1 is slow to, or never does, a dead server would seem to be running.
deploy_start() {
	deploy_log=$1
	rm -f "$deploy_log.status"
	# shellcheck disable=SC2016,SC2094 # for the shell that is started
	setsid sh -c 'trap : TERM; (eval "$1"); echo $? >"$2.status"' sh "$2" "$1" \
	    >>"$1" 2>&1 </dev/null &
	deploy_pid=$!
}

deploy_died() {
	[ -s "$deploy_log.status" ] || return 1
	deploy_status=$(cat "$deploy_log.status")
	[ "$deploy_status" -ne 0 ]
}

# deploy_signal SIGNAL: to the group; fails when nobody is left.
deploy_signal() {
	kill -s "$1" -- "-$deploy_pid" 2>/dev/null
}

deploy_stop() {
	[ -n "$deploy_pid" ] || return 0
	if [ -n "${1:-}" ]; then
		sh -c "$1" </dev/null >>"$deploy_log" 2>&1 ||
		    echo "the command that stops the server failed: $1" >&2
	fi
	deploy_signal TERM || :
	deploy_left=$((deploy_patience * 50))
	while [ $deploy_left -gt 0 ] && deploy_signal 0; do
		sleep 0.02
		deploy_left=$((deploy_left - 1))
	done
	deploy_signal KILL || :
	wait "$deploy_pid" 2>/dev/null || :
	deploy_pid=''
	rm -f "$deploy_log.status"
}
