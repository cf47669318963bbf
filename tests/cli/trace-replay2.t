#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# trace-replay against servers, option by option: order of runs and their
# texts, cycles, limits in time, what a request says, TLS and a proxy.
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
# shellcheck source=tests/support/nginx.sh
. "$root/tests/support/nginx.sh"
scratch
cd "$tmp" || exit 1

pace='--ttft 5ms --itl 1ms'

# errors TAPE: class and cause of measured failures, with their numbers, in one
# line.
errors()
{
	each "$1" 'if ($r->{kind} eq "exchange" && $r->{stage} eq "measure") {
	    $h{$r->{error} ? "$r->{error}{class} $r->{error}{cause}" : "good"}++ }
	    END { print join ", ", map { "$h{$_} $_" } sort keys %h }'
}

# runs TAPE: arm and round of each run, in the order they were begun.
runs()
{
	each "$1" 'print "$r->{arm}$r->{round} " if $r->{kind} eq "run" &&
	    $r->{at} eq "start"'
}

# hashes TAPE ARM ROUND: of the bodies of a run, by id.
hashes()
{
	each "$1" '$h{run} = $r->{run} if $r->{kind} eq "run" &&
	    $r->{arm} eq "'"$2"'" && $r->{round} == '"$3"';
	    $h{h}{$r->{id}} = $r->{req}{hash} if $r->{kind} eq "exchange" &&
	    $r->{stage} eq "measure" && $r->{run} == ($h{run} // 0);
	    END { print map { "$_ $h{h}{$_}\n" } sort keys %{$h{h}} }'
}

# body TAPE FIELD: of the first kept body, as JSON.
body()
{
	each "$1" 'if ($r->{kind} eq "exchange" && $r->{stage} eq "measure" &&
	    !$h{n}++) { my $b = decode_json($r->{req}{body});
	    print JSON::PP->new->canonical->allow_nonref->encode(
	    $b->{"'"$2"'"} // "none") }'
}

trace-gen -q --isl 10 --osl 6 --count 20 --no-host -o closed.trace

# Orders of runs.
serve a
two="--arm A=$at --arm B=$at --warmup 0 --requests 2 --model m closed.trace"
# shellcheck disable=SC2086
{
	replay fixed --order fixed --rounds 3 $two
	is "$code $(runs fixed.tape)" "0 A1 B1 A2 B2 A3 B3 " "--order fixed"
	replay rand1 --order random --rounds 6 --seed 7 $two
	replay rand2 --order random --rounds 6 --seed 7 $two
	is "$(runs rand1.tape)" "$(runs rand2.tape)" \
	    "--order random, the same for a seed: $(runs rand1.tape)"
	is "$(runs rand1.tape | xargs -n 1 | sort | tr '\n' ' ')" \
	    "A1 A2 A3 A4 A5 A6 B1 B2 B3 B4 B5 B6 " "each once"
	for seed in 1 2 3 4 5 6; do
		replay seed --order random --rounds 3 --seed $seed $two
		runs seed.tape
		echo
	done | sort -u >orders
	[ "$(wc -l <orders)" -gt 1 ]
	ok $? "other seeds give other orders"
	replay bal --order balanced --rounds 4 --seed 9 $two
	runs bal.tape >got
	grep -Eq '^(A1 B1 B2 A2|B1 A1 A2 B2) (A3 B3 B4 A4|B3 A3 A4 B4) $' got
	ok $? "--order balanced: $(cat got)"
	replay three --arm "C=$at" --rounds 4 $two
	is "$(runs three.tape | xargs -n 1 | sort | tr '\n' ' ')" \
	    "A1 A2 A3 A4 B1 B2 B3 B4 C1 C2 C3 C4 " "three arms, each once"

	# A pause between runs.
	replay cool --order fixed --rounds 2 --cooldown 200ms $two
	is "$code $(each cool.tape 'if ($r->{kind} eq "run") {
	    if ($r->{at} eq "end") { $h{end} = $r->{end_ns} }
	    elsif ($h{n}++) { $h{min}++ if $r->{start_ns} - $h{end} >= 2e8 } }
	    END { print "$h{n} runs, $h{min} pauses" }')" \
	    "0 4 runs, 3 pauses" "--cooldown"

	# Texts.
	replay salted --rounds 2 --salt round $two
	[ -n "$(hashes salted.tape A 1)" ]
	ok $? "bodies have hashes"
	is "$(hashes salted.tape A 1)" "$(hashes salted.tape B 1)" \
	    "one text in both arms of a round"
	is "$(hashes salted.tape A 2)" "$(hashes salted.tape B 2)" \
	    "and of the next"
	[ "$(hashes salted.tape A 1)" != "$(hashes salted.tape A 2)" ]
	ok $? "--salt round: other texts in the next round"
	replay same --rounds 2 --salt none $two
	is "$(hashes same.tape A 1)" "$(hashes same.tape A 2)" \
	    "--salt none: the same"
	replay seven --salt 7 --keep-requests $two
	replay eight --salt 8 --keep-requests $two
	[ "$(body seven.tape messages)" != "$(body eight.tape messages)" ]
	ok $? "--salt N: by the number"
}

# Beyond the trace.
replay cycle --url "$at" --warmup 0 --concurrency 4 --loop --requests 50 \
    closed.trace
is "$code $(each cycle.tape '$h{$r->{pass}}{$r->{id}}++
    if $r->{kind} eq "exchange";
    END { print join " ", map { "$_:" . keys %{$h{$_}} } sort keys %h }')" \
    "0 0:20 1:20 2:10" "--loop numbers the passes"
replay beyond --url "$at" --requests 21 closed.trace
is "$code $(grep -c -e '--loop' beyond.err)" "2 1" "refused without it"
replay endless --url "$at" --warmup 0 --loop --duration 400ms closed.trace
is "$code $(run_end endless.tape stop) $(errors endless.tape | tr -d 0-9)" \
    "0 duration  good" "--duration ends it"

# What a request says.
replay comp --url "$at" --api completions --warmup 0 --keep-requests \
    --requests 1 closed.trace
is "$code $(body comp.tape messages) $(body comp.tape max_tokens)" '0 "none" 6' \
    "--api completions"
[ "$(body comp.tape prompt)" != '"none"' ]
ok $? "has a prompt"
grep -q '"path":"/v1/completions"' a.log
ok $? "and its path"
replay whole --url "$at" --no-stream --warmup 0 --keep-requests --requests 1 \
    closed.trace
is "$code $(body whole.tape stream) $(body whole.tape stream_options)" \
    '0 "none" "none"' "--no-stream"
is "$(each whole.tape 'print decode_json($r->{body})->{usage}{completion_tokens}
    if $r->{kind} eq "exchange"')" 6 "brings a whole answer"
replay nousage --url "$at" --no-usage --warmup 0 --keep-requests --requests 1 \
    closed.trace
is "$code $(body nousage.tape stream) $(body nousage.tape stream_options)" \
    '0 true "none"' "--no-usage"
printf '{"temperature": 0.25,\n "stop": ["x"]}\n' >extra.json
replay extra --url "$at" --extra @extra.json --warmup 0 --keep-requests \
    --requests 1 closed.trace
is "$code $(body extra.tape temperature) $(body extra.tape stop)" '0 0.25 ["x"]' \
    "--extra @FILE"
replay noextra --url "$at" --extra @no.json closed.trace
is "$code $(grep -c 'no.json' noextra.err)" "4 1" "a file that is not there"
replay badextra --url "$at" --extra '[1]' closed.trace
is $code 2 "an array is no object"
replay field --url "$at" --max-tokens-field max_completion_tokens --warmup 0 \
    --keep-requests --requests 1 closed.trace
is "$code $(body field.tape max_tokens) $(body field.tape max_completion_tokens)" \
    '0 "none" 6' "--max-tokens-field"
for name in Authorization Cookie X-Api-Key my-token; do
	replay refused --url "$at" --header "$name: sesame" closed.trace
	is "$code $(grep -c header-file refused.err) $(grep -c sesame refused.err)" \
	    "2 1 0" "--header $name is refused"
done
for line in 'no colon' ': x' 'A b: c' "A: b
C: d"; do
	replay refused --url "$at" --header "$line" closed.trace
	is $code 2 "a line that is no header"
done
stop

# Headers, as they stand on the wire.
perl "$root/tests/support/echo.pl" wire.port wire.head &
pids="$pids $!"
wait_for wire.port
replay wire --url "127.0.0.1:$(cat wire.port)" --model m --warmup 0 --requests 1 \
    --header 'X-Route: blue' --header 'Accept: text/plain' closed.trace
is "$code $(tr -d '\r' <wire.head | grep -c '^X-Route: blue$')" \
    "0 $(grep -c HTTP/1 wire.head)" "--header adds one"
is "$(tr -d '\r' <wire.head | grep -i '^accept: ' | sort -u)" \
    "Accept: text/plain" "and replaces one"
is "$(tr -d '\r' <wire.head | grep -ic '^accept-encoding: identity$')" \
    "$(grep -c HTTP/1 wire.head)" "no compression is asked for"
stop

# Limits in time.  The server never accepts.
perl "$root/tests/support/full.pl" full.port &
pids="$pids $!"
wait_for full.port
full=127.0.0.1:$(cat full.port)
replay connect --url "$full" --connect-timeout 300ms --model m --warmup 0 \
    --requests 2 closed.trace
is "$code $(errors connect.tape)" "4 2 timeout connect-timeout" \
    "--connect-timeout; no server ever answered"
# The time that is left bounds each question, too.
before=$(date +%s)
replay silent --url "$full" --wait-ready --wait-timeout 1s closed.trace
is $code 4 "--wait-timeout of a silent server"
[ $(($(date +%s) - before)) -le 4 ]
ok $? "is kept"
stop
replay refused --url "$full" --model m --warmup 0 --requests 2 closed.trace
is "$code $(errors refused.tape)" "4 2 connect refused" "nobody listens"
replay dns --url "no-such-host.invalid" --model m --warmup 0 --requests 1 \
    closed.trace
is "$code $(errors dns.tape | cut -d ' ' -f 2)" "4 dns" "a name that is none"
serve a --ttft 3s
replay first --url "$at" --first-byte-timeout 200ms --model m --warmup 0 \
    --requests 2 --concurrency 2 closed.trace
is "$code $(errors first.tape | sed 's/ *,.*//')" "1 2 timeout first-byte" \
    "--first-byte-timeout"
replay grace --url "$at" --warmup 0 --concurrency 3 --duration 200ms \
    --grace 100ms closed.trace
is "$code $(errors grace.tape) $(run_end grace.tape unsent)" \
    "0 3 cancelled cancelled 17" "--grace cancels, which is no failure"
stop
serve a --fault stall:100%:2
replay idle --url "$at" --idle-timeout 200ms --model m --warmup 0 --requests 2 \
    --concurrency 2 closed.trace
is "$code $(errors idle.tape)" "1 2 timeout idle" "--idle-timeout"
is "$(each idle.tape 'print scalar(() = $r->{body} =~ /^data: /mg) > 1 ? "y" : "n"
    if $r->{kind} eq "exchange"')" yy "what came before is kept"
stop
serve a --itl 100ms
replay total --url "$at" --timeout 250ms --model m --warmup 0 --requests 2 \
    --concurrency 2 closed.trace
is "$code $(errors total.tape)" "1 2 timeout total" "--timeout"
stop

# Faults, each with its class.
for want in 'close reset' 'reset reset' 'truncate truncated' \
    'bad-chunk truncated' '503 http'; do
	serve a --fault "${want% *}:100%"
	replay class --url "$at" --model m --warmup 0 --requests 3 closed.trace
	is "$(errors class.tape | cut -d ' ' -f 1,2)" "3 ${want#* }" \
	    "${want% *} is ${want#* }"
	stop
done
for fault in malformed error-event; do
	serve a --fault "$fault:100%"
	replay class --url "$at" --warmup 0 --requests 3 closed.trace
	is "$code $(errors class.tape)" "0 3 good" \
	    "$fault is whole on the wire"
	stop
done

# Failures.
serve a --fault 500:100%
replay abort --url "$at" --model m --warmup 0 --abort-after 4 closed.trace
is "$code $(errors abort.tape) $(run_end abort.tape stop)" \
    "1 4 http status aborted" "--abort-after 4"
replay rounds --arm "A=$at" --arm "B=$at" --rounds 3 --model m --warmup 0 \
    --abort-after 4 closed.trace
is "$code $(runs rounds.tape | wc -w)" "1 1" "starts no further run"
stop
serve a --fault 500:1/4
for t in '5 0' '4 1' '25% 0' '24% 1' '0 1' '100% 0'; do
	replay most --url "$at" --model m --warmup 0 --max-failed "${t% *}" \
	    closed.trace
	is $code "${t#* }" "--max-failed ${t% *} of 5 of 20"
	# Faults go by the server's count of requests.
	stop
	serve a --fault 500:1/4
done
stop

# Sessions of a prompt file.
cat >prompts <<'JSON'
{"session_id":"s","text_input":"one","output_length":3}
{"session_id":"t","text_input":"uno","output_length":3}
{"session_id":"s","text_input":"two","output_length":3,"delay":120}
{"session_id":"t","text_input":"due","output_length":3,"delay":40}
{"session_id":"s","text_input":"three","output_length":3,"delay":10}
JSON
trace-gen -q --from prompts --no-host -o session.trace prompts
serve a
replay session --url "$at" --warmup 0 --concurrency 8 session.trace
is "$code $(each session.tape 'push @{$h{$r->{session}}}, $r
    if $r->{kind} eq "exchange";
    END { for my $s (sort keys %h) {
    my @t = sort { $a->{turn} <=> $b->{turn} } @{$h{$s}};
    for (1 .. $#t) { my $d = $t[$_]{due_ns} - $t[$_ - 1]{end_ns};
    print "$s$_:", $d / 1e6,
    $t[$_]{start_ns} >= $t[$_]{due_ns} ? " " : " early " } } }')" \
    "0 s1:120 s2:10 t1:40 " "turns wait for the one before and for their delay"
stop
serve a --fault 500:100%
replay broken --url "$at" --model m --warmup 0 --concurrency 8 session.trace
is "$code $(errors broken.tape)" "1 3 client predecessor, 2 http status" \
    "a failed turn fails those behind it"
is "$(grep -c '"path":"/v1/chat' a.log)" 2 "which are not sent"
stop

# A server that comes two seconds later.
serve a
port=${at##*:}
stop
(
	sleep 2
	exec trace-serve -q --listen "127.0.0.1:$port" --for 20s
) &
pids="$pids $!"
replay early --url "$at" --wait-ready --wait-timeout 20s --requests 2 closed.trace
is "$code $(run_end early.tape "done")" "0 2" "--wait-ready"
stop
replay never --url "$at" --wait-ready --wait-timeout 700ms closed.trace
is "$code $(grep -c 'not ready\|cannot learn' never.err)" "4 1" "--wait-timeout"
replay alone --url "$at" --wait-timeout 700ms closed.trace
is $code 2 "needs --wait-ready"

# A real server in between: TLS, and a forward proxy.
if ! command -v nginx >/dev/null || ! command -v openssl >/dev/null; then
	skip 8 "needs nginx and openssl"
else
	self_signed localhost
	serve a
	front "server { listen 127.0.0.1:@P@ ssl; ssl_certificate $tmp/localhost.pem;
	    ssl_certificate_key $tmp/localhost.key;
	    location / { proxy_pass http://$at; } }
	server { listen 127.0.0.1:@Q@;
	    location / { proxy_pass \$scheme://\$http_host\$request_uri; } }"
	ok $? "nginx runs"
	replay tls --url "https://127.0.0.1:$P" --cacert localhost.pem --warmup 0 \
	    --requests 3 closed.trace
	is "$code $(errors tls.tape)" "0 3 good" "HTTPS with --cacert"
	is "$(each tls.tape 'print $r->{tls_ns} > 0 ? "y" : "n"
	    if $r->{kind} eq "exchange" && ($r->{conn} // "new") eq "new"' |
	    cut -c 1)" y "its handshake has a time"
	replay notls --url "https://127.0.0.1:$P" --warmup 0 --requests 2 \
	    --model m closed.trace
	is "$code $(errors notls.tape | cut -d ' ' -f 1,2)" "4 2 tls" \
	    "without it the certificate is refused"
	replay nocert --url "https://127.0.0.1:$P" --cacert no.pem closed.trace
	is $code 2 "certificates that are not there"
	: >front.log
	http_proxy=http://127.0.0.1:1 all_proxy=http://127.0.0.1:1 \
	    timeout 60 trace-replay -q -z 0 --url "$at" --requests 2 --warmup 0 \
	    closed.trace >env.tape 2>env.err
	is "$? $(wc -l <front.log)" "0 0" "the environment's proxy is not used"
	replay proxy --url "$at" --proxy "http://127.0.0.1:$Q" --warmup 0 \
	    --requests 3 closed.trace
	is "$code $(errors proxy.tape)" "0 3 good" "--proxy"
	is "$(grep -c 'POST http://.*/v1/chat\|POST /v1/chat' front.log)" 3 \
	    "the proxy saw them"
	stop
fi

# Nothing is sent in a dry run, and nothing secret said.
printf 'Authorization: Bearer sk-open-sesame-0815\n' >lines
trace-replay --url "http://u:sesame@$at/?key=sesame" --model m \
    --header-file lines --header 'X-Route: blue' --dry-run closed.trace >dry \
    2>dry.err
is "$? $(wc -c <dry.err) $(grep -c sesame dry)" "0 0 0" "--dry-run"
is "$(sed -n 1p dry)" "POST http://$at/v1/chat/completions" "says where"
is "$(sed '1,/^$/d' dry | perl -MJSON::PP -e 'print decode_json(<>)->{model}')" \
    m "and the body is JSON"

# The prompts of the warm-up come again: with other words, of the same length,
# unless no salt is wanted.
serve warm.serve --ttft 1ms --itl 1ms
trace-gen -q --isl 12 --osl 2 --count 3 --no-host -o warm.trace
for salt in '' '--salt none' '--salt 7'; do
	# shellcheck disable=SC2086
	replay_at warm --keep-requests --warmup 1 --model m $salt warm.trace
	each warm.tape 'if ($r->{kind} eq "exchange" && $r->{id} eq "3") {
	    my $b = decode_json($r->{req}{body});
	    my $t = $b->{messages}[0]{content};
	    $h{$r->{stage}} = $t; $h{n} .= " " . scalar split(" ", $t) }
	    END { print $h{warmup} eq $h{measure} ? "same" : "other", $h{n} }' \
	    >got
	[ "$salt" = '--salt none' ] && want=same || want=other
	is "$(cat got)" "$want 12 12" "words of a warm-up ${salt:-by default}"
done
stop

done_testing
