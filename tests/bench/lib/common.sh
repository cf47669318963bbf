# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
# common.sh: what the benches have in common.  To be sourced; $bench is the
# folder of the benches, $0 a bench in it.
#
#	bench_begin NAME ARG...  takes --json FILE and --help from the
#	                    arguments; makes the folder $dir; all that was
#	                    started ends, and $dir goes, when the bench ends
#	bench_row JSON      a row of the result
#	bench_end           writes the result to --json's FILE
#	pin_server, on_client   the core of the server, a prefix for the client's
#	serve OPTION...     trace-serve on the server's core; sets $server_url,
#	                    $server_pid
#	pump OPTION...      event_pump likewise, and $pump_port
#	stop                ends all servers and processes in $pids
#	spin, spin_end      a busy process on the client's core
#	cost FILE COMMAND...    a command on the client's core, bounded, and what
#	                    it took
#	medians JQ          the medians of the numbers in $dir/runs, grouped by
#	                    .cell, as rows
#
# Variables: RUNS (5) alternating runs, SERVER_CORE (0), CLIENT_CORE (1), TMPDIR.
: "${B:=$(cd "$bench/../.." && pwd)/build/release}"
PATH=$B/bin:$PATH
LC_ALL=C
export PATH LC_ALL B
runs=${RUNS:-5}
server_core=${SERVER_CORE:-0}
client_core=${CLIENT_CORE:-1}
[ "$(nproc)" -gt 1 ] || server_core=0 client_core=0
pids=''
spin_pid=''
. "$bench/../support/server.sh"

usage()
{
	sed -n '3,/^[^#]/{ /^#/!d; s/^# \{0,1\}//p; }' "$0"
}

bench_begin()
{
	bench_name=$1 json=''
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		--json)
			json=${2:?--json needs a file}
			shift 2
			;;
		--help | -h)
			usage
			exit 0
			;;
		*)
			echo "$bench_name: what is $1? See --help" >&2
			exit 2
			;;
		esac
	done
	[ -x "$B/bench/cost" ] || {
		echo "$bench_name: run make tests first" >&2
		exit 2
	}
	dir=$(mktemp -d "${TMPDIR:-/tmp}/llmtape-bench.XXXXXX")
	trap 'spin_end; stop; rm -rf "$dir"' EXIT
	trap 'exit 130' INT TERM HUP
	: >"$dir/rows"
	: >"$dir/runs"
	bench_date=$(date -u +%Y-%m-%dT%H:%M:%SZ)
	printf '== %s, %s, %s\n' "$bench_name" "$bench_date" "$(commit)"
}

commit()
{
	git -C "$bench" describe --always --dirty --abbrev=10 2>/dev/null ||
	    echo unknown
}

machine()
{
	printf '%s, %s cores, %s MiB, Linux %s' \
	    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" \
	    "$(nproc)" \
	    "$(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo)" \
	    "$(uname -r)"
}

bench_row()
{
	printf '%s\n' "$1" | jq -c . >>"$dir/rows"
}

bench_end()
{
	[ -n "$json" ] || return 0
	jq -s --arg bench "$bench_name" --arg commit "$(commit)" \
	    --arg machine "$(machine)" --arg date "$bench_date" \
	    --arg load "$(cut -d' ' -f1-3 /proc/loadavg)" \
	    --slurpfile runs "$dir/runs" \
	    '{bench: $bench, commit: $commit, machine: $machine, date: $date,
	      load: $load, rows: ., runs: $runs}' "$dir/rows" >"$json.part"
	mv "$json.part" "$json"
	echo "written: $json"
}

pin_server()
{
	taskset -acp "$server_core" "$1" >/dev/null
}

serve()
{
	server_start "$dir/serve.log" "$@"
	pin_server "$server_pid"
}

pump()
{
	pump_port=$((10000 + ($$ * 37 + 4711) % 20000))
	rm -f "$dir/pump.port"
	pump_try=0
	while :; do
		taskset -c "$server_core" "$B/bench/event_pump" \
		    -p "$pump_port" -P "$dir/pump.port" "$@" &
		pump_pid=$!
		pids="$pids $pump_pid"
		wait_file "$dir/pump.port" "$pump_pid" && break
		pump_try=$((pump_try + 1))
		[ $pump_try -lt 20 ] || exit 4
		pump_port=$((10000 + (pump_port - 10000 + 1237) % 20000))
	done
	server_url=http://127.0.0.1:$pump_port
}

# Until a process has made a file, 5 seconds at most.
wait_file()
{
	for _ in $(seq 250); do
		[ ! -s "$1" ] || return 0
		kill -0 "$2" 2>/dev/null || return 1
		sleep 0.02
	done
	return 1
}

stop()
{
	server_stop
	for pid in $pids; do
		kill "$pid" 2>/dev/null || :
	done
	for pid in $pids; do
		wait "$pid" 2>/dev/null || :
	done
	pids=''
}

# Bounded by itself: 5 minutes, unless it is ended.
spin()
{
	taskset -c "$client_core" timeout 300 sh -c 'while :; do :; done' &
	spin_pid=$!
}

spin_end()
{
	[ -z "$spin_pid" ] || {
		kill "$spin_pid" 2>/dev/null || :
		wait "$spin_pid" 2>/dev/null || :
	}
	spin_pid=''
}

cost()
{
	cost_file=$1
	shift
	"$B/bench/cost" -c "$client_core" -t "${LIMIT:-120}" -o "$cost_file" "$@"
}

# has TOOL OPTION: whether a tool of this build knows an option.
has()
{
	{ "$1" --help && "$1" --help-all; } 2>/dev/null | grep -q -e "$2\\([ ,=]\\|\$\\)"
}

# The lines of $dir/runs with one .cell become one row: the median of each
# number, of .runs of them; what is no number is kept if all are alike.
medians()
{
	jq -s -c '
	def median: sort | if length == 0 then null
	    elif length % 2 == 1 then .[(length - 1) / 2]
	    else (.[length / 2 - 1] + .[length / 2]) / 2 end;
	def merge: if length == 0 then null
	    elif all(type == "object") then
	        (map(keys_unsorted) | add | unique) as $k | . as $v |
	        $k | map(. as $k | {key: $k, value:
	            [$v[] | .[$k] | select(. != null)] | merge}) | from_entries
	    elif all(type == "number") then median
	    else unique | if length == 1 then .[0] else map(tostring) |
	        join(",") end end;
	reduce .[] as $r ([]; if any(.[]; .[0].cell == $r.cell) then
	        map(if .[0].cell == $r.cell then . + [$r] else . end)
	    else . + [[$r]] end) |
	.[] | merge + {runs: length}' "$dir/runs"
}
