#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every recorded body once more, from end to end: trace-serve plays it by a
# script, in the reads in which it once came where these are known, trace-replay
# keeps it, sse-timestamp reads it; bytes and text are those of the key.
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
dir=$root/tests/fixtures/sse

# kinds DIALECT: what the key calls its bodies.  The first dialect has those,
# too, that are of no key or of none of ours: their bytes count nevertheless.
kinds()
{
	case $1 in
	messages) echo 'anthropic error' ;;
	chat) echo 'chat ? mcp transcription replicate ndjson eventstream' ;;
	gemini) echo 'gemini json' ;;
	huggingface_generate) echo tgi ;;
	triton_generate) echo triton ;;
	*) echo "$1" ;;
	esac
}

type_of()
{
	case $1 in
	*.ndjson) echo application/x-ndjson ;;
	*.json) echo application/json ;;
	*.eventstream) echo application/vnd.amazon.eventstream ;;
	*) echo text/event-stream ;;
	esac
}

# Rules for the bodies of a dialect, and their rows of the key.
collect()
{
	: >rules
	: >key
	i=0
	for path in "$dir"/*; do
		file=${path##*/}
		case $file in
		*.reads | *.tsv | *.md | *.http) continue ;;
		esac
		row=$(grep "^$file	" "$dir/manifest.tsv") ||
		    row="$file	0	0	LF	ndjson" # not in it
		kind=$(printf '%s\n' "$row" | cut -f 5)
		case " $(kinds "$1") " in
		*" $kind "*) ;;
		*) continue ;;
		esac
		i=$((i + 1))
		reads=''
		[ -f "$path.reads" ] &&
		    reads=",\"reads\":\"$path.reads\",\"gap\":\"1ms\""
		printf '{"nth":%s,"headers":{"content-type":"%s"},' "$i" \
		    "$(type_of "$file")" >>rules
		printf '"play":[{"file":"%s"%s}]}\n' "$path" "$reads" >>rules
		printf '%s\t%s\t%s\t%s\n' "$file" "$(wc -c <"$path")" \
		    "$(sha256sum "$path" | cut -c 1-16)" \
		    "$(text_of "$kind" "$row")" >>key
	done
}

# The digest of the text, as far as the key has one and the dialect reads it.
text_of()
{
	case $1 in
	anthropic | chat | completions | responses | gemini | cohere | tgi | \
	    triton)
		printf '%s\n' "$2" | cut -f 19 ;;
	*) echo - ;;
	esac
}

# bodies: of each exchange in order of its id, its bytes' number and digest.
bodies()
{
	perl -MJSON::PP -MMIME::Base64 -MDigest::SHA=sha256_hex -ne '
	my $r = decode_json($_);
	next unless $r->{kind} eq "exchange" || $r->{kind} eq "part";
	my $text = $r->{body};
	utf8::encode($text) if defined $text;
	$text = decode_base64($r->{body_b64}) if defined $r->{body_b64};
	$body{$r->{x}} .= $text // "";
	$id{$r->{x}} = $r->{id} if defined $r->{id};
	END { for (sort { $id{$a} <=> $id{$b} } keys %body) {
	    print length $body{$_}, "\t",
	    substr(sha256_hex($body{$_}), 0, 16), "\n" } }' run.tape
}

all=0
for api in chat completions responses messages gemini cohere \
    huggingface_generate triton_generate; do
	collect $api
	trace-gen -q --isl 4 --osl 4 --count "$i" --no-host --force -o run.trace
	serve log --script rules
	replay_at run --api $api --model m --warmup 0 --max-failed 100% \
	    --abort-after 0 run.trace
	stop
	is "$(bodies)" "$(cut -f 2,3 key)" "$api: $i bodies to the byte"
	sse-timestamp -q -z 0 run.tape >run.events
	each run.events 'push @{$h{r}}, $r if $r->{kind} eq "response";
	    END { for (sort { $a->{id} <=> $b->{id} } @{$h{r}}) {
	    print substr($_->{text_sha256} // "-", 0, 16), "\n" } }' >texts
	is "$(wc -l <texts)" "$i" "$api: a response for each"
	is "$(cut -f 1,4 key | paste - texts | awk '$2 != "-" && $2 != $3')" '' \
	    "$api: each text is that of the key"
	all=$((all + i))
done

# A whole answer of HTTP, framing included.
printf '{"framing":"raw","play":[{"file":"%s"}]}\n' \
    "$dir/ollama-native-generate.http" >rules
serve log --script rules
replay_at run --api ollama_generate --model m --warmup 0 --requests 1 run.trace
stop
is "$code $(bodies)" "0 $(wc -c <"$dir/ollama-native-generate.ndjson")	$(
    sha256sum <"$dir/ollama-native-generate.ndjson" | cut -c 1-16)" \
    'a recorded answer with its framing'
all=$((all + 1))
is $all "$(find "$dir" -type f ! -name '*.reads' ! -name '*.tsv' \
    ! -name '*.md' ! -name '.*' | wc -l)" 'every recorded body was played'
done_testing
