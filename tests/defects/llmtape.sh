#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What this project's tools find in an experiment; README.md says how this is
# called.  Everything that they warn of is said, in the words of README.md, or
# by the name of the check where there is none.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
: "${B:=$here/../../build/release}"
PATH=$B/bin:$PATH

words()
{
	awk '
	BEGIN {
		is["serialized"] = "serialized"
		is["length"] = "early-stop"
		is["cached_tokens"] = "cached"
		is["buffered"] = "buffered"
		is["http/queue-full"] = "queue-full"
		is["http/engine-failed"] = "engine-failed"
		is["http/refused-field"] = "refused-field"
		is["trend"] = "trend"
		is["warmup"] = "warm-up"
		is["model"] = "wrong-model"
		is["server"] = "server-changed"
		is["usage"] = "no-usage"
		is["enough"] = "too-few"
		is["flat"] = "flat"
		is["output-lengths"] = "unequal-work"
	}
	{ print $1 in is ? is[$1] : $1 }' | sort -u
}

# The trace that the plan asks for.
make_trace()
{
	set -- -q --no-host -o trace --force
	if [ -n "$PROMPT" ]; then
		awk -v n="$REQUESTS" -v text="$PROMPT" -v osl="$OSL" 'BEGIN {
		for (i = 0; i < n; i++)
			printf "{\"text_input\":\"%s\",\"output_length\":%d}\n",
			    text, osl
		}' >rows
		trace-gen "$@" --from prompts rows
	elif [ -n "$SHARED" ]; then
		awk -v n="$REQUESTS" -v isl="$ISL" -v shared="$SHARED" \
		    -v osl="$OSL" 'BEGIN {
		for (i = 0; i < n; i++) {
			ids = ""
			for (k = 0; k < isl / 4; k++)
				ids = ids (k ? "," : "") \
				    (k < shared / 4 ? k : (i + 1) * 1000 + k)
			printf "{\"timestamp\":0,\"input_length\":%d," \
			    "\"output_length\":%d,\"hash_ids\":[%s]}\n",
			    isl, osl, ids
		}
		}' >rows
		trace-gen "$@" --from mooncake --block-size 4 --arrivals none \
		    rows
	elif [ -n "$RATE" ]; then
		trace-gen "$@" --isl "$ISL" --osl "$OSL" --count "$REQUESTS" \
		    --arrivals "$ARRIVALS" --rate "$RATE"
	else
		trace-gen "$@" --isl "$ISL" --osl "$OSL" --count "$REQUESTS"
	fi
}

# play OPTION ...: into wire; what the client refuses is said.
play()
{
	[ "$STREAM" = yes ] || set -- "$@" --no-stream
	[ "$USAGE" = yes ] || set -- "$@" --no-usage
	[ -z "$MODEL" ] || set -- "$@" --model "$MODEL"
	[ -z "$EXTRA" ] || set -- "$@" --extra "$EXTRA"
	(
		# dash, bash and busybox have it.
		# shellcheck disable=SC3045
		[ -z "$FILES" ] || ulimit -n "$FILES"
		if [ -n "$STEP_AFTER_S" ]; then
			LD_PRELOAD=$B/support/clockstep.so
			CLOCKSTEP=$STEP_AFTER_S
			export LD_PRELOAD CLOCKSTEP
		fi
		exec trace-replay -q --api "$API" --warmup "$WARMUP" \
		    --abort-after 0 --max-failed 100% "$@" -o wire --force \
		    trace
	) 2>replay.err
	code=$?
	cat replay.err >&2
	if [ "$code" = 2 ] && grep -q 'descriptors' replay.err; then
		echo descriptors
	fi
}

busy()
{
	pids=
	for _ in $(seq "${LOAD:-0}"); do
		taskset -c 0 sh -c 'while :; do :; done' &
		pids="$pids $!"
	done
}

# found FILE: what a stream of metrics says that is wrong.
found()
{
	jq -r '
	if .kind == "check" and .status != "ok" then
		if .name == "errors" then empty else .name end
	elif .kind == "fidelity" then
		(if .verdict == "client-limited" then .verdict else empty end),
		(if (.clock.steps // 0) > 0 then "clock-step" else empty end)
	elif .kind == "result" and .error then
		"\(.error.class)/\(.error.cause // "")"
	else empty end' "$1" | sed '
	s|^stream/.*|error-in-stream|
	s|^truncated/.*|truncated|
	s|^unfinished/.*|truncated|'
}

make_trace || exit 4
if [ -n "$URL_B" ]; then
	play --arm "A=$URL" --arm "B=$URL_B" --rounds "$ROUNDS" \
	    --concurrency "$CONCURRENCY"
	sse-timestamp wire | metrics-reduce --format stream -z 0 -o metrics \
	    --force
	ab-compare --format json metrics >report 2>compare.err
	found metrics >named
	# What it says of the runs' own checks is there already.
	jq -r '.verdict.warnings // [] | .[] |
	    select(.severity == "warn" and .code != "checks") | .code' \
	    report >>named
	words <named
	exit
fi
: >metrics
for slots in ${SWEEP:-"${CONCURRENCY:-0}"}; do
	set -- --url "$URL"
	[ "$slots" = 0 ] || set -- "$@" --concurrency "$slots"
	if [ -n "$LOAD" ]; then
		busy
		taskset -p -c 0 $$ >/dev/null
	fi
	play "$@"
	# shellcheck disable=SC2086
	[ -z "${pids:-}" ] || kill $pids
	[ -e wire ] || continue
	cat wire >>wires
done
[ ! -e wires ] ||
    sse-timestamp wires | metrics-reduce --format stream -z 0 -o metrics --force
found metrics | words
