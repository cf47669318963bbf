#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Much broken input for sse-timestamp: recorded answers with bytes changed, cut
# out and repeated, as one live stream and as a recording, and random bytes, for
# each dialect that streams.
#
#	bulk.sh [MB]
#
# MB of each of three kinds and each dialect; 50.  All of it must be taken, and it
# must end by itself with 0 or 3, in 512 MiB; its peak is printed, and at the end
# how much was taken in all.  The seed is fixed.  With B=.../build/asan it also
# finds what leaks; the limit of memory is not set then, as ASan needs more.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
: "${B:=$root/build/release}"
PATH=$B/bin:$PATH
mb=${1:-50}
failed=0
taken=0
whole=$(mktemp) || exit 1
trap 'rm -f "$whole"' EXIT

# made SEED API KIND: recorded answers, one in 50 to 1,000 bytes touched: one
# behind the other, the first one whole, since a live stream's first byte says how
# its events are told apart; or, with KIND tape, each as an exchange of a wire
# stream, in reads of any size, which is how bodies, arrays and binary messages
# are read.
# shellcheck disable=SC2016,SC2317
made()
{
	perl -MMIME::Base64 -e '
	my ($seed, $left, $api, $kind, $dir) = @ARGV;
	my %suffix = (ollama => "ndjson", gemini => "{sse,json}",
	    bedrock => "eventstream");
	my %type = (ndjson => "application/x-ndjson", json =>
	    "application/json", eventstream =>
	    "application/vnd.amazon.eventstream", sse => "text/event-stream");
	my @files = glob("$dir/*." . ($suffix{$api} // "sse"));
	my ($x, $taken) = (0, 0);
	$left *= 1 << 20;
	srand($seed);
	my @all = map { local $/; open(my $f, "<:raw", $_) or die "$_: $!";
	    [<$f>, $type{(split /\./)[-1]}] } @files;
	print q({"kind":"header","format":"llmtape.wire","version":"1.0",) .
	    q("epoch":"2026-01-01T00:00:00.000000000Z","epoch_mono":) .
	    q("1.000000000","run_id":"bulk","prov":[]}), "\n"
	    if $kind eq "tape";
	for (my $n = 0; $left > 0; $n++) {
		my ($s, $type) = @{$all[rand @all]};
		# an answer of any type, now and then
		$type = (values %type)[rand 4] if rand(20) < 1;
		my $every = 50 + int(rand 950);
		for ($n == 0 ? () : 1 .. 1 + length($s) / $every) {
			my $at = int(rand length $s);
			my $how = int(rand 4);
			if ($how == 0) { substr($s, $at, 1) = chr(rand 256) }
			elsif ($how == 1) { substr($s, $at, int(rand 20)) = "" }
			elsif ($how == 2) { substr($s, $at, 0) =
			    substr($s, int(rand length $s), int(rand 200)) }
			else { substr($s, $at, 0) = ("\n", "\r\n", "\0", "{",
			    "}", "[", "]", "\"", "\\", "data:", ",")[rand 11] }
			last unless length $s;
		}
		$left -= length $s;
		if ($kind ne "tape") {
			print $s or exit 1;
			next;
		}
		my (@bytes, @t_ns);
		for (my $rest = length $s; $rest > 0; $rest -= $bytes[-1]) {
			my $size = 1 + int(rand 3000);
			push @bytes, $size < $rest ? $size : $rest;
			push @t_ns, 1000 * @bytes;
		}
		printf q({"kind":"exchange","x":%d,"run":1,"id":"%d","attempt":1,) .
		    q("stage":"measure","api":"%s","stream":%s,"start_ns":%d,) .
		    q("status":%d,"headers":[["content-type","%s"]],"reads":) .
		    q({"t_ns":[%s],"bytes":[%s]},"body_b64":"%s"}) . "\n",
		    ++$x, $x, $api, rand(10) < 1 ? "false" : "true", $x * 1000,
		    rand(10) < 1 ? 500 : 200, $type, join(",", @t_ns),
		    join(",", @bytes), encode_base64($s, "") or exit 1;
	}
	print qq({"kind":"end","records":$x,"status":"complete"}\n)
	    if $kind eq "tape"' "$1" "$mb" "$2" "$3" "$root/tests/fixtures/sse"
}

# shellcheck disable=SC2317
mutated()
{
	made 7 "$1" mutated
}

# shellcheck disable=SC2317
tape()
{
	made 8 "$1" tape
}

# shellcheck disable=SC2317
random()
{
	head -c "$((mb << 20))" /dev/urandom
}

for api in chat completions responses messages gemini cohere \
    huggingface_generate ollama llamacpp sglang triton_generate bedrock; do
	for kind in mutated tape random; do
		# Binary messages end where the first of them is damaged.
		[ "$api $kind" = 'bedrock mutated' ] && continue
		: >"$whole"
		# shellcheck disable=SC3045
		peak=$( ([ "${B##*/}" = asan ] || ulimit -v 524288
			{ $kind "$api" && echo y >"$whole"; } 2>/dev/null |
			    /usr/bin/time -f '%M %x' \
			    sse-timestamp -q --api "$api" -z 0 --force) \
		    2>&1 >/dev/null | tail -n 1)
		case $peak in
		*' 0' | *' 3') ;;
		*) failed=1 ;;
		esac
		if [ -s "$whole" ]; then
			taken=$((taken + mb))
		else
			failed=1
			peak="$peak; not all was taken"
		fi
		echo "$api $kind: peak and exit: $peak"
	done
done
echo "$taken MB taken"
exit $failed
