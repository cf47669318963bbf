#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The main job in one go: a public trace is replayed against two deployments,
# interleaved; every byte is kept with its time; the comparison says which is
# slower, and where.
#
# usage: run.sh [--same] [--rounds N] [--keep DIR] [--seed N]
#
#	--same      B is as A: nothing is slower
#	--rounds N  rounds of both arms; 8 if not given
#	--keep DIR  leave trace, archive and metrics there
#	--seed N    of the two servers; from the time if not given
#
# Both deployments are trace-serve on loopback: TTFT 20 ms (sd 2 ms), ITL 5 ms
# (sd 0.2 ms), slots enough that nothing queues; B decodes 5 % slower.  TTFT is
# drawn independently of decoding.  Exits as ab-compare does: 1 when B loses.
# shellcheck disable=SC1091,SC2154
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
top=$(CDPATH='' cd -- "$here/../.." && pwd)
PATH="${B:-$top/build/release}/bin:$PATH"
trace=$top/traces/mooncake-conversation-64.jsonl

itl_b=5.25ms rounds=8 keep='' seed=$(date +%s)
while [ $# -gt 0 ]; do
	case $1 in
	--same) itl_b=5ms ;;
	--rounds) rounds=$2; shift ;;
	--keep) keep=$2; shift ;;
	--seed) seed=$2; shift ;;
	*) sed -n '3,17s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
	esac
	shift
done

dir=$(mktemp -d "${TMPDIR:-/tmp}/llmtape-demo.XXXXXX")
. "$top/tests/support/server.sh"
# shellcheck disable=SC2317
cleanup() {
	server_stop
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
[ -z "$keep" ] || mkdir -p "$keep"
out=${keep:-$dir}

# serve NAME ITL SEED: starts a deployment.
serve() {
	server_start "$dir/$1.log" --model demo --ttft 20ms,2ms \
	    --itl "$2,0.2ms" --slots 256 --seed "$3"
}

serve A 5ms "$seed"
a=$server_url
serve B "$itl_b" "$((seed + 1))"
b=$server_url

echo "A: $a, ITL 5 ms.  B: $b, ITL $itl_b.  $rounds rounds of" \
    "$(wc -l <"$trace") requests."
trace-gen --from mooncake --speedup 48 "$trace" -o "$out/demo.trace"
trace-replay --arm A="$a" --arm B="$b" --rounds "$rounds" --seed "$seed" \
    -q -o "$out/demo.wire" "$out/demo.trace" >/dev/null
sse-timestamp -o "$out/demo.events" "$out/demo.wire"
metrics-reduce -o "$out/demo.metrics" "$out/demo.events"
echo
metrics-reduce --format table "$out/demo.events" | awk '/^run 2 / { exit } 1'
echo "(one table like this for each of the $((2 * rounds)) runs)"
echo
status=0
ab-compare "$out/demo.metrics" || status=$?
[ -z "$keep" ] || echo "kept in $keep: demo.trace .wire .events .metrics"
exit $status
