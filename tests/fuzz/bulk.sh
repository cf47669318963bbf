#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Much broken input for sse-timestamp: recorded answers with bytes changed, cut
# out and repeated, and random bytes, for each dialect that streams.
#
#	bulk.sh [MB]
#
# MB of each of both kinds and each dialect; 50.  It must end by itself with 0
# or 3, in 512 MiB, and its peak is printed.  The seed is fixed.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
: "${B:=$root/build/release}"
PATH=$B/bin:$PATH
mb=${1:-50}
failed=0

# mutated SEED: recorded answers, one in 50 to 1,000 bytes touched.
# shellcheck disable=SC2317
mutated()
{
	perl -e '
	my ($seed, $left, @files) = @ARGV;
	$left *= 1 << 20;
	srand($seed);
	my @all = map { local $/; open(my $f, "<:raw", $_) or die "$_: $!";
	    <$f> } @files;
	while ($left > 0) {
		my $s = $all[rand @all];
		next unless length $s;
		my $every = 50 + int(rand 950);
		for (1 .. 1 + length($s) / $every) {
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
		print $s;
		$left -= length $s;
	}' "$1" "$mb" "$root"/tests/fixtures/sse/*.sse \
	    "$root"/tests/fixtures/sse/*json*
}

# shellcheck disable=SC2317
random()
{
	head -c "$((mb << 20))" /dev/urandom
}

for api in chat completions responses messages gemini cohere \
    huggingface_generate ollama llamacpp sglang triton_generate bedrock; do
	for kind in mutated random; do
		# shellcheck disable=SC3045
		peak=$( (ulimit -v 524288
			$kind 7 2>/dev/null | /usr/bin/time -f '%M %x' \
			    sse-timestamp -q --api "$api" -z 0 --force) \
		    2>&1 >/dev/null | tail -n 1)
		case $peak in
		*' 0' | *' 3') ;;
		*) failed=1 ;;
		esac
		echo "$api $kind: peak and exit: $peak"
	done
done
exit $failed
