#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What a server says of its tokens and times, from the wire to the summary:
# counts in every chunk, some without text, two choices, and its own clock.
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
trace-gen -q --isl 5 --osl 10 --count 4 --no-host -o t

# reduced NAME: plays to the server with the script, as NAME.m.
reduced()
{
	serve "$1" --script script
	replay_at "$1" --model m --warmup 0 t
	stop
	sse-timestamp -q -z 0 --no-host "$1.tape" >"$1.e" &&
	    metrics-reduce -q -z 0 --no-host -o "$1.m" "$1.e"
	[ "$code" = 0 ] && [ -s "$1.m" ]
	ok $? "$1: played and reduced"
}
# field NAME METRIC FIELD
field()
{
	each "$1.m" 'print $r->{'"$3"'} // "none" if $r->{kind} eq "summary" &&
	    $r->{metric} eq "'"$2"'"'
}
# result NAME CODE: for the first result $r.
result()
{
	each "$1.m" 'if ($r->{kind} eq "result" && !$h{n}++) {'"$2"'}'
}
chunk()
{
	printf 'data: {"choices":[{"index":%s,"delta":{%s}%s}]%s}\n\n' \
	    "$1" "$2" "$3" "$4"
}
usage()
{
	printf ',"usage":{"prompt_tokens":5,"completion_tokens":%s}' "$1"
}

# Counts in each chunk: the second and third have no text.
{
	chunk 0 '"role":"assistant"' '' "$(usage 0)"
	chunk 0 '"content":"a"' '' "$(usage 1)"
	chunk 0 '' '' "$(usage 3)"
	chunk 0 '"content":"bc"' '' "$(usage 4)"
	chunk 0 '' ',"finish_reason":"stop"' \
	    ',"usage":{"prompt_tokens":5,"completion_tokens":10,"queue_time":0.5,"prompt_time":0.25,"completion_time":1}'
	printf 'data: [DONE]\n\n'
} >counted
printf '%s\n' '{"headers":{"content-type":"text/event-stream"},"play":[{"file":"counted"}]}' >script
reduced counted
is "$(field counted token_gap n)" 36 'nine gaps between ten tokens, of each'
is "$(field counted gap n)" 4 'one between token events, of each'
is "$(result counted 'print $r->{silent_events}')" 2 'two events were silent'
is "$(field counted server_queue mean)" 500000000 "the server's queue"
is "$(field counted server_ttft mean)" 750000000 "its time to first token"
is "$(field counted server_total mean)" 1750000000 'its total'
is "$(result counted 'print $r->{ttft_ns} - $r->{server}{ttft_ns} < 0')" 1 \
    'and it may say what cannot be'
is "$(each counted.m 'if ($r->{kind} eq "summary" && $r->{metric} eq "gap") {
    print join " ", grep { $_ eq "chunked" } @{$r->{flags}} }')" chunked \
    'gaps are said to be between chunks, not tokens'

# Two choices, and reasoning, a tool and a refusal beside the content.
{
	chunk 0 '"content":"a"' '' ''
	chunk 1 '"reasoning":"hm"' '' ''
	chunk 1 '"refusal":"no"' ',"finish_reason":"stop"' ''
	chunk 0 '"tool_calls":[{"id":"x","function":{"name":"f"}}]' \
	    ',"finish_reason":"tool_calls"' "$(usage 4)"
	printf 'data: [DONE]\n\n'
} >choices
printf '%s\n' '{"headers":{"content-type":"text/event-stream"},"play":[{"file":"choices"}]}' >script
reduced choices
is "$(field choices gap n)" 8 'a gap in each choice, of each'
is "$(each choices.m 'if ($r->{kind} eq "summary" && $r->{metric} eq "tpot") {
    print join " ", grep { $_ eq "choices" } @{$r->{flags}} }')" choices \
    'tpot is over choices, which is said'
is "$(result choices 'print join " ", map { "$_=$r->{kinds}{$_}" }
    sort keys %{$r->{kinds}}')" \
    'content_bytes=1 content_events=1 reasoning_bytes=2 reasoning_events=1 refusal_bytes=2 refusal_events=1 tool_bytes=1 tool_calls=1 tool_events=1' \
    'kinds are kept apart'
is "$(field choices token_gap n)" '' 'no counts, no row'
done_testing
