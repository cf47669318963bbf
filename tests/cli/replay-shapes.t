#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Servers of no dialect: bodies of a template or verbatim, answers that are read
# by pointers, or not; and endpoints that answer without tokens.
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

# What the responses of NAME.tape say, each kind once with its count: token
# events, counts, source, reasons, digests, error.
responses()
{
	sse-timestamp -q -z 0 "$1.tape" >"$1.events"
	each "$1.events" 'return unless $r->{kind} eq "response";
	    my $n = () = ($r->{events} || $r)->{class} =~ /[cgtxa]/g;
	    my $t = $r->{tokens} || {};
	    $h{join " ", $n, map({ $t->{$_} // "-" } "input", "output", "source"),
	    map({ $_ || "-" } @{$r->{finish} || [""]}),
	    $r->{text_sha256} ? "text" : "-",
	    $r->{error} ? "$r->{error}{class}/$r->{error}{cause}" : "fine"}++;
	    END { print "$h{$_}: $_\n" for sort keys %h }'
}

# Of how many results there are, how many have a latency, and how many a TTFT.
timed()
{
	metrics-reduce -q --format stream -z 0 "$1.events" >"$1.metrics"
	each "$1.metrics" 'our ($n, $l, $f); if ($r->{kind} eq "result") { $n++;
	    $l++ if defined $r->{latency_ns}; $f++ if defined $r->{ttft_ns} }
	    END { print join " ", map { $_ // 0 } $n, $l, $f }'
}

# trace-serve is asked as if nothing were known of it.
cat >body <<'END'
{"model": {{model}}, "stream": {{stream}}, "max_tokens": {{max_tokens}},
 "messages": [{"role": "user", "content": {{prompt}}}],
 "stream_options": {"include_usage": true}}
END
trace-gen -q --isl 10 --osl 6 --count 6 --no-host -o run.trace
serve log --ttft 5ms --itl 1ms
chat=$at/v1/chat/completions
template="--api template --body-template body --model m --warmup 0"
text="--response-text /choices/0/delta/content"
usage="--response-usage-in /usage/prompt_tokens
    --response-usage-out /usage/completion_tokens"
finish="--response-finish /choices/0/finish_reason"

# shellcheck disable=SC2086
replay all --url "$chat" $template $text $usage $finish run.trace
is $code 0 'a template, and pointers to all there is'
is "$(responses all)" '6: 6 10 6 usage length text fine' \
    'text, counts and reason are read'
is "$(timed all)" '6 6 6' 'with times of tokens'
is "$(each all.tape 'print $r->{pointers}{output_tokens} // "none", " ",
    length($r->{body_template}) > 100 ? "kept" : "lost", "\n"
    if $r->{kind} eq "run" && $r->{at} eq "start"')" \
    '/usage/completion_tokens kept' 'the archive has what it takes to read it'

# trace-view reads them by the same pointers.
trace-view --id 3 --timeline all.tape >view
is "$(grep -c ' c ' view) $(sed -n 's/.*, \([0-9]* with tokens\).*/\1/p' view)" \
    '6 6 with tokens' 'trace-view shows its text'

# Decoded as they come, they are the same.
# shellcheck disable=SC2086
replay kept --url "$chat" $template $text $usage $finish --keep events run.trace
grep -v '"kind":"fidelity"' kept.tape >kept.events
is "$(sed -n 's/.*"class":"\([a-z]*\)".*/\1/p' kept.events | sort -u)" \
    "$(sed -n 's/.*"class":"\([a-z]*\)".*/\1/p' all.events | sort -u)" \
    'and so does --keep events'

# shellcheck disable=SC2086
replay some --url "$chat" $template $text run.trace
is "$(responses some)" '6: 6 - 6 events - text fine' \
    'a pointer to text alone: tokens are its events'

# shellcheck disable=SC2086
replay wrong --url "$chat" $template --response-text /no/such run.trace
is "$(responses wrong)" '6: 0 - - - - - unfinished/empty' \
    'a pointer to nothing: no answer is one'

# shellcheck disable=SC2086
replay blind --url "$chat" $template run.trace
is $code 0 'no pointers'
is "$(responses blind)" '6: 0 - - - - - fine' 'nothing is read'
is "$(timed blind)" '6 6 0' 'and there is a latency, but no time of tokens'

# shellcheck disable=SC2086
replay whole --url "$chat" $template --no-stream $usage \
    --response-text /choices/0/message/content \
    --extra '{"max_tokens":3}' run.trace
is "$(responses whole)" '6: 1 10 3 usage - text fine' \
    'whole answers, and a field that overrides'

# A server, or a field, that makes a body of a stream: no times of tokens.
# shellcheck disable=SC2086
replay_at body --model m --warmup 0 --extra '{"stream":false}' run.trace
is $code 0 'a body where a stream was asked for'
is "$(responses body)" '6: 1 10 6 usage length text fine' 'is read as one'
is "$(timed body)" '6 6 0' 'and has a latency alone'
is "$(each body.metrics 'print "$r->{status} $r->{n}\n"
    if $r->{kind} eq "check" && $r->{name} eq "not_streamed"')" 'warn 6' \
    'which is said'

# Bodies as they are.
cat >raw.trace <<'END'
{"kind":"header","format":"llmtape.trace","version":"1.0","epoch":"2026-01-01T00:00:00.000000000Z","epoch_mono":"0.000000000","run_id":"r","prov":[]}
{"kind":"request","id":"a","input":{"path":"/v1/completions","body":"{\"prompt\":\"a b\",\"max_tokens\":2,\"model\":\"m\",\"stream\":true}"}}
{"kind":"end","records":1,"status":"complete"}
END
replay_at raw --api raw --warmup 0 --response-text /choices/0/text raw.trace
is $code 0 'a verbatim body'
is "$(responses raw)" '1: 2 - 2 events - text fine' 'and its answer'
replay_at raw --api raw --warmup 0 --model m run.trace
is $code 2 'a text is none'
grep -q 'this request has none' raw.err
ok $? 'which is said'
stop

# Endpoints that answer with one body and without tokens, and one that listens.
cat >whole.script <<'END'
{"path":"/v1/embeddings","headers":{"Content-Type":"application/json"},"play":[{"wait":"20ms"},{"text":"{\"data\":[{\"embedding\":[0.5]}],\"usage\":{\"prompt_tokens\":10,\"total_tokens\":10}}"}]}
{"path":"/rerank","nth":2,"headers":{"Content-Type":"application/json"},"play":[{"text":"{\"ranks\":1}"}]}
{"path":"/rerank","headers":{"Content-Type":"application/json"},"play":[{"text":"[{\"index\":0,\"score\":1}]"}]}
{"path":"/v1/audio/transcriptions","headers":{"Content-Type":"text/event-stream"},"play":[{"text":"data: {\"type\":\"transcript.text.delta\",\"delta\":\"a\"}\n\n"},{"wait":"5ms"},{"text":"data: {\"type\":\"transcript.text.delta\",\"delta\":\"b\"}\n\n"},{"text":"data: {\"type\":\"transcript.text.done\",\"text\":\"ab\",\"usage\":{\"input_tokens\":7,\"output_tokens\":2}}\n\n"}]}
END
serve log --script whole.script
replay_at whole --api embeddings --model m --warmup 0 run.trace
is $code 0 'embeddings'
is "$(responses whole)" '6: 0 10 - - - - fine' 'with the count of their input'
is "$(timed whole)" '6 6 0' 'and a latency'
is "$(each whole.metrics 'print "$r->{name}\n" if $r->{kind} eq "check" &&
    $r->{name} =~ /^(usage|finish)$/')" '' 'that lack no usage and no reason'
is "$(each whole.tape 'print $r->{stream} ? "stream\n" : "whole\n"
    if $r->{kind} eq "exchange"' | sort -u)" whole \
    'they are not asked for a stream'
replay_at rank --api hf_tei_rankings --model m --warmup 0 --concurrency 1 \
    --max-failed 100% --extra '{"passages":["a","b"]}' run.trace
is "$(responses rank)" "$(printf '%s\n%s' '5: 0 - - - - - fine' \
    '1: 0 - - - - - malformed/json')" 'rankings, of which one is none'
printf 'RIFF\000\001\377' >a.wav
replay_at sound --api audio_transcription --model m --warmup 0 \
    --keep-requests --extra '{"file":"a.wav"}' run.trace
is $code 0 'a file of sound'
is "$(responses sound)" '6: 2 7 2 usage - text fine' 'and what was heard'
is "$(each sound.tape 'use MIME::Base64; print(decode_base64(
    $r->{req}{body_b64}) =~ /filename="a.wav"\r\n.*\r\n\r\nRIFF\x00\x01\xff\r/
    ? "whole\n" : "cut\n") if $r->{kind} eq "exchange"' | sort -u)" whole \
    'every byte of the file went out'
stop

# What the options do not allow.
refused()
{
	replay bad --url 127.0.0.1:1 --model m --dry-run "$@" run.trace
	is "$code" 2 "refused: $*"
	test -s bad.err
	ok $? "and why is said"
}
refused --api template
refused --api chat --body-template body
refused --api chat --response-text /a
refused --api template --body-template body --response-text a/b
refused --api template --body-template body --response-text '/a~2'
echo '{"a": {{prompts}}}' >bad
refused --api template --body-template bad
echo '{"a": {{prompt' >bad
refused --api template --body-template bad
echo '{"a": "x{{prompt}}"}' >bad
refused --api template --body-template bad
echo '{"a": {{tokens}}}' >bad
refused --api template --body-template bad
done_testing
