#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# analysis/sweep: a grid of points, a server that is started anew for each, and
# the search for the highest load within objectives, against trace-serve.
# shellcheck disable=SC2012 # names of ours
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
# shellcheck source=tests/support/server.sh
. "$root/tests/support/server.sh"
scratch
cd "$tmp" || exit 1
trap 'server_stop; rm -rf "$tmp"' EXIT
sweep=$root/analysis/sweep/run.sh

# A grid, on one server.
server_start one.log --slots 4 --ttft 2ms --itl 0
"$sweep" --url "$server_url" --isl 128,16 --osl 4 --concurrency 1,3 -o grid \
    >grid.out 2>grid.err
is $? 0 'a grid is played'
is "$(ls grid/*.tape | wc -l)" 4 'all its points'
is "$(zstdcat grid/sweep.metrics | jq -rs '[.[] | select(.kind == "run" and
    .at == "start") | [.labels.isl, .labels.osl, .concurrency, .requests,
    .warmup]] | map(join(" ")) | join(", ")')" \
    '16 4 1 10 2, 16 4 3 15 3, 128 4 1 10 2, 128 4 3 15 3' \
    'each with its requests and warm-up, from the smallest load'
is "$(jq -s 'map(select(.output_tokens == 4)) | length' one.log)" 60 'which is all that the server saw'
is "$(zstdcat grid/*.trace | jq -r 'select(.kind == "request") |
    .input.blocks.seed' | sort -u | wc -l)" 4 'no two points share prompts'
"$sweep" --url "$server_url" --isl 128,16 --osl 4 --concurrency 1,3,2 -o grid \
    >again.out 2>again.err
is "$? $(grep -c requests again.err) $(ls grid/*.tape | wc -l)" '0 2 6' \
    'again, with one more load: what is there is kept'
server_stop

# A server for each point.
server_free
cat >start.sh <<EOF
echo "\$ISL \$OSL \$CONCURRENCY" >>started
exec trace-serve -q --listen $server_port --ttft 1ms --itl 0
EOF
"$sweep" --url "http://127.0.0.1:$server_port" --isl 16,32 --osl 3 \
    --concurrency 2 --requests 5 --warmup 1 --start 'sh start.sh' -o anew \
    >anew.out 2>anew.err
is "$? $(paste -sd, started)" '0 16 3 2,32 3 2' 'a server for each point'
trace-serve -q --listen "$server_port" --for 1ms
is $? 0 'none of which is left'
"$sweep" --url "http://127.0.0.1:$server_port" --start 'echo no; exit 3' \
    -o none -- --wait-timeout 500ms >none.out 2>none.err
is "$? $(ls none/*.tape 2>/dev/null | wc -l) $(cat none/server.log)" '4 0 no' \
    'a server that does not come'

# Four slots, each held for 200 ms: the fifth request waits for so long.
server_start find.log --slots 4 --ttft 100ms --itl 5ms
"$sweep" --url "$server_url" --isl 16 --osl 20 --concurrency 1,8 \
    --slo ttft=180ms --attain 90% --find -o find >find.out 2>find.err
is $? 0 'a search'
is "$(cat find/found.txt)" 'isl 16, osl 20: the highest concurrency at which 90 % meet ttft=180ms is 4; at 5 they do not' \
    'finds the slots'
is "$(tail -n 1 find.out)" "$(cat find/found.txt)" 'and says so at the end'
"$sweep" --url "$server_url" --isl 16 --osl 4 --concurrency 1,2 \
    --slo ttft=10ms --find -o lost >lost.out 2>lost.err
is "$? $(grep -c 'the lowest tried' lost/found.txt)" '1 1' \
    'or that nothing is good enough'
"$sweep" --url "$server_url" --isl 16 --osl 4 --rate 20 --requests 6 -o rate \
    >rate.out 2>rate.err
is "$? $(zstdcat rate/sweep.metrics | jq -r 'select(.kind == "run" and
    .at == "start") | [.loop, .requests] | join(" ")')" '0 open 6' \
    'a rate is an open loop'
server_stop

for words in '--isl 5' '--url x --find' '--url x --isl 1,,2' \
    '--url x --concurrency 1.5' '--url x --stop y' '--url x --isl=5' \
    '--url x --slo itl=5ms' '--url x --bogus 1' '--url'; do
	# shellcheck disable=SC2086
	"$sweep" $words -o misused >/dev/null 2>misuse.err
	is "$? $(wc -l <misuse.err)" '2 1' "misuse: $words"
done
test ! -e misused
ok $? 'which makes nothing'

done_testing
