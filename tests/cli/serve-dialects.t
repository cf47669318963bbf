#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# trace-serve in each of its dialects: the same model answers, and a reader that
# knows nothing of this project finds text, counts and reason in what it says.
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

# A dialect a line: name | path | path of streams | body; %s is what makes it a
# stream, or not.  The prompt is of three words, the answer of four.
cat >dialects <<'END'
chat|/v1/chat/completions|/v1/chat/completions|{"messages":[{"role":"user","content":"a b c"}],"max_tokens":4,"stream":%s,"stream_options":{"include_usage":true}}
completions|/v1/completions|/v1/completions|{"prompt":"a b c","max_tokens":4,"stream":%s,"stream_options":{"include_usage":true}}
responses|/v1/responses|/v1/responses|{"input":"a b","instructions":"c","max_output_tokens":4,"stream":%s}
messages|/v1/messages|/v1/messages|{"system":"a","messages":[{"role":"user","content":[{"type":"text","text":"b c"}]}],"max_tokens":4,"stream":%s}
gemini|/v1beta/models/m:generateContent|/v1beta/models/m:streamGenerateContent?alt=sse|{"contents":[{"role":"user","parts":[{"text":"a b c"}]}],"generationConfig":{"maxOutputTokens":4}}
cohere|/v2/chat|/v2/chat|{"messages":[{"role":"user","content":"a b c"}],"max_tokens":4,"stream":%s}
hf|/generate|/generate_stream|{"inputs":"a b c","parameters":{"max_new_tokens":4}}
sglang|/generate|/generate|{"text":"a b c","sampling_params":{"max_new_tokens":4,"ignore_eos":true},"stream":%s}
ollama|/api/chat|/api/chat|{"messages":[{"role":"user","content":"a b c"}],"options":{"num_predict":4},"stream":%s}
ollama-generate|/api/generate|/api/generate|{"prompt":"a b c","options":{"num_predict":4},"stream":%s}
llamacpp|/completion|/completion|{"prompt":"a b c","n_predict":4,"stream":%s}
triton|/v2/models/m/generate|/v2/models/m/generate_stream|{"text_input":"a b c","max_tokens":4}
END

# What a body says: "WORDS IN OUT REASON"; - where nothing does.
cat >say.pl <<'END'
use strict;
use warnings;
use JSON::PP;
my ($name, $way) = @ARGV;
my ($text, $in, $out, $why, $failed, $done, $over) =
    ('', '-', '-', '-', 0, 0, 0);
# JSON pointer
sub at {
	my ($v, @keys) = @_;
	for (@keys) {
		$v = ref $v eq 'HASH' ? $v->{$_} :
		    ref $v eq 'ARRAY' && /^\d+$/ ? $v->[$_] : undef;
	}
	return $v;
}
my %part = (
    chat => [qw(choices 0 delta content)],
    completions => [qw(choices 0 text)],
    responses => [qw(delta)],
    messages => [qw(delta text)],
    gemini => [qw(candidates 0 content parts 0 text)],
    cohere => [qw(delta message content text)],
    hf => [qw(token text)],
    sglang => [qw(text)],
    ollama => [qw(message content)],
    'ollama-generate' => [qw(response)],
    llamacpp => [qw(content)],
    triton => [qw(text_output)]);
my %whole = (%part,
    chat => [qw(choices 0 message content)],
    responses => [qw(output 0 content 0 text)],
    messages => [qw(content 0 text)],
    cohere => [qw(message content 0 text)],
    hf => [qw(generated_text)]);
my %in = (
    chat => [qw(usage prompt_tokens)],
    responses => [qw(usage input_tokens)],
    gemini => [qw(usageMetadata promptTokenCount)],
    cohere => [qw(usage tokens input_tokens)],
    hf => [qw(details input_length)],
    sglang => [qw(meta_info prompt_tokens)],
    ollama => [qw(prompt_eval_count)],
    llamacpp => [qw(tokens_evaluated)],
    triton => [qw(none)]);
my %out = (
    chat => [qw(usage completion_tokens)],
    responses => [qw(usage output_tokens)],
    gemini => [qw(usageMetadata candidatesTokenCount)],
    cohere => [qw(usage tokens output_tokens)],
    hf => [qw(details generated_tokens)],
    sglang => [qw(meta_info completion_tokens)],
    ollama => [qw(eval_count)],
    llamacpp => [qw(tokens_predicted)],
    triton => [qw(none)]);
my %why = (
    chat => [qw(choices 0 finish_reason)],
    responses => [qw(incomplete_details reason)],
    messages => [qw(stop_reason)],
    gemini => [qw(candidates 0 finishReason)],
    cohere => [qw(finish_reason)],
    hf => [qw(details finish_reason)],
    sglang => [qw(meta_info finish_reason type)],
    ollama => [qw(done_reason)],
    llamacpp => [qw(stop_type)],
    triton => [qw(none)]);
for (\%in, \%out, \%why) {
	$_->{completions} = $_->{chat};
	$_->{messages} //= $_->{responses};
	$_->{'ollama-generate'} = $_->{ollama};
}
local $/;
my $body = <STDIN>;
my @json;
if ($way eq 'true' && $name !~ /^ollama/) {
	for (split /\r?\n\r?\n/, $body) {
		my @data = map { /^data: ?(.*)/ ? $1 : () } split /\r?\n/;
		push @json, @data == 1 ? $data[0] : die "no data in '$_'";
	}
} elsif ($name =~ /^ollama/) {
	@json = split /\n/, $body;
} else {
	@json = ($body);
}
for (@json) {
	die 'something behind the end' if $done;
	if ($_ eq '[DONE]') {
		$done = 1;
		next;
	}
	my $v = eval { decode_json($_) };
	if (!defined $v) {
		$failed++;
		next;
	}
	if (defined $v->{error} || ($v->{type} // '') eq 'error') {
		$why = 'error';
		next;
	}
	# those that say so themselves: the last one, and no other
	die 'something behind the end' if $over;
	$over = $v->{done} || $v->{stop};
	my $t = at($v, @{($way eq 'true' ? \%part : \%whole)->{$name}});
	if (defined $t && !ref $t) {
		$text = '' if $name eq 'sglang';
		$text .= $t;
	}
	# usage and reason stand deeper in some events
	for my $u ($v, $v->{response}, $v->{message}, $v->{delta}) {
		next if ref $u ne 'HASH';
		$in = at($u, @{$in{$name}}) // $in;
		$in += $u->{usage}{cache_read_input_tokens} // 0
		    if $name eq 'messages' && $u->{usage};
		$out = at($u, @{$out{$name}}) // $out;
		$why = at($u, @{$why{$name}}) // $why;
	}
}
die 'no end' if $name =~ /^(ollama|llamacpp)/ && !$over && $why ne 'error';
my @words = split ' ', $text;
print @words . ' ' . join(' ', $in, $out, $why), $failed ? " broken $failed" :
    '', "\n";
END

# ask WAY NAME PATH BODY: what say.pl makes of the answer.
ask()
{
	# shellcheck disable=SC2059
	printf "$4" "$1" >body
	curl -sS -N --noproxy '*' --max-time 20 -d @body \
	    -H 'content-type: application/json' "$server_url$3" >answer 2>&1
	perl say.pl "$2" "$1" <answer 2>&1
}

# streams PROGRAM WHAT: all dialects, streamed; the sed program makes what is
# wanted from what is said of a good answer.
streams()
{
	while IFS='|' read -r name path stream body; do
		is "$(ask true "$name" "$stream" "$body")" \
		    "$(good "$name" | sed "$1")" "$name: $2"
	done <dialects
}

# good NAME: what say.pl has to find.
good()
{
	case $1 in
	responses) echo 4 3 4 max_output_tokens ;;
	messages) echo 4 3 4 max_tokens ;;
	gemini | cohere) echo 4 3 4 MAX_TOKENS ;;
	llamacpp) echo 4 3 4 limit ;;
	triton) echo 4 - - - ;;
	*) echo 4 3 4 length ;;
	esac
}

server_start log --ttft 2ms --itl 1ms || exit 1
streams '' 'a stream'
while IFS='|' read -r name path stream body; do
	is "$(ask false "$name" "$path" "$body")" "$(good "$name")" \
	    "$name: a whole answer"
done <dialects
is "$(grep -c '"outcome":"complete"' log)" 24 'all are in the log'
is "$(sed -n 's/.*"path":"\([^"]*\)".*/\1/p' log | sort -u | wc -l)" 14 \
    'with their own paths'
code=$(curl -sS -o answer -w '%{http_code}' --noproxy '*' --max-time 20 \
    -d '{"prompt":"a"}' "$server_url/generate")
is "$code $(grep -c 'inputs: missing' answer)" '400 1' \
    'what is neither of the two dialects of a path'
server_stop

server_start log --ttft 2ms --itl 1ms --stamp --split 3,1ms || exit 1
streams '' 'with stamps, in pieces'
server_stop

server_start log --ttft 2ms --itl 1ms --merge 2 --prefix-cache 100 \
    --prefix-block 1 --role start || exit 1
streams '' 'two events a write'
server_stop

server_start log --ttft 2ms --itl 1ms --fault malformed:100%:2 || exit 1
streams 's/$/ broken 1/' 'one event is cut'
server_stop

server_start log --ttft 2ms --itl 1ms --fault error-event:100%:2 || exit 1
while IFS='|' read -r name path stream body; do
	got=$(ask true "$name" "$stream" "$body")
	case $got in
	"2 "*" error") ok 0 "$name: an error in mid-stream" ;;
	*) is "$got" '2 ... error' "$name: an error in mid-stream" ;;
	esac
done <dialects
server_stop
done_testing
