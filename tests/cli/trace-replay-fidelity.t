#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What trace-replay says about itself: a client that cannot keep up says so, in
# the archive, on standard error and by its exit code, and the archive is whole.
#
# Perl programs stand in single quotes:
# shellcheck disable=SC2016
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
# shellcheck source=tests/support/server.sh
. "$root/tests/support/server.sh"
# shellcheck source=tests/support/replay.sh
. "$root/tests/support/replay.sh"
scratch
cd "$tmp" || exit 1

# fidelity TAPE EXPRESSION: of the record $r, or of its last one.
fidelity()
{
	grep '"kind":"fidelity"' "$1" >records
	each records 'our $v; $v = '"$2"'; END { print $v // "none" }'
}

trace-gen -q --isl 4 --osl 3 --count 60 --arrivals poisson --rate 100 \
    --seed 5 --no-host -o slow.trace
trace-gen -q --isl 4 --osl 1 --count 200000 --arrivals poisson --rate 400000 \
    --seed 5 --no-host -o fast.trace
server_start log --ttft 2ms --itl 2ms || exit 1

# 400,000 requests a second, for half a second: no client does that here.
trace-replay -z 0 --no-host --url "$server_url" --warmup 0 --duration 500ms \
    --grace 5s --abort-after 0 --max-failed 100% --strict fast.trace \
    >fast.tape 2>fast.err
is $? 1 "--strict: a client beyond its limit is exit 1"
is "$(fidelity fast.tape '$r->{verdict}')" client-limited "the verdict"
is "$(tail -n 1 fast.tape | grep -c '"status":"complete"')" 1 \
    "the archive is complete"
grep -q 'run 1 is client-limited: .*of the planned rate was reached' fast.err
ok $? "the reason is told"
grep -q 'trace-replay: the client was the limit of 1 of 1 runs' fast.err
ok $? "and what that is to --strict"
is "$(fidelity fast.tape '$r->{arrivals}{achieved_per_s} <
    0.9 * $r->{arrivals}{planned_per_s} ? "less" : "kept"')" less \
    "the achieved rate"
is "$(fidelity fast.tape '$r->{arrivals}{planned_ad_p} >= 0.01 &&
    $r->{arrivals}{ad_p} < 0.01 ? "not kept" : "kept"')" "not kept" \
    "nor is the law"
is "$(fidelity fast.tape '$r->{arrivals}{gaps} <= 2048 &&
    $r->{arrivals}{gaps} * ($r->{arrivals}{gap_stride} + 1) >=
    $r->{arrivals}{n} - 2048 ? "spread" : "other"')" spread \
    "a sample over the whole run"
sse-timestamp -q fast.tape >fast.events
metrics-reduce -q --strict --format table fast.events >shown
is $? 1 "metrics-reduce --strict: exit 1"
is "$(sed -n '/^!/p' shown)" \
    "! the client was the limit: these numbers are not the server's" \
    "and says why on top"
metrics-reduce -q --format table fast.events >shown
is $? 0 "without --strict it is no failure"
trace-replay -q -z 0 --no-host --url "$server_url" --warmup 0 --duration 500ms \
    --grace 5s --abort-after 0 --max-failed 100% fast.trace \
    >again.tape 2>again.err
is $? 0 "nor is it for trace-replay"
is "$(fidelity again.tape '$r->{verdict}')" client-limited "which says it"
is "$(cat again.err)" "" "though not with --quiet"

# Nothing to say about a law that cannot be kept, or was not planned.
trace-replay -q -z 0 --no-host --url "$server_url" --warmup 0 slow.trace \
    >slow.tape
is $? 0 "a slow run"
is "$(fidelity slow.tape '"$r->{arrivals}{gaps} $r->{arrivals}{gap_stride}"')" \
    "59 1" "all its gaps are tested"
is "$(fidelity slow.tape '$r->{arrivals}{planned_ad_p} >= 0.01 ? "yes" : "no"')" \
    yes "the plan is exponential"
is "$(fidelity slow.tape '$r->{reads}{events}')" \
    "$(each slow.tape '$h{n} += () = $r->{body} =~ /\n\n/g
    if $r->{kind} eq "exchange"; END { print $h{n} }')" \
    "its events are counted by their ends"
trace-replay -q -z 0 --no-host --url "$server_url" --warmup 0 \
    --concurrency 1 slow.trace >capped.tape
is "$(fidelity capped.tape '$r->{arrivals}{gaps}')" none "a cap: no test"
is "$(fidelity capped.tape 'join " ", map { /gaps|rate/ ? "arrivals" : () }
    @{$r->{reasons}}')" "" "nor is a cap's rate a finding"
server_stop
done_testing
