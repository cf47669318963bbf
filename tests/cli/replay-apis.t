#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Each dialect from end to end: trace-replay asks trace-serve in it, streamed
# and not, sse-timestamp reads what came, metrics-reduce counts it.
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

# The name of a dialect, the reason that it gives for an answer of the full
# length, and the input tokens that it counts.
cat >apis <<'END'
chat length 10
completions length 10
responses max_output_tokens 10
messages max_tokens 10
gemini MAX_TOKENS 10
cohere MAX_TOKENS 10
huggingface_generate length 10
ollama length 10
ollama_generate length 10
llamacpp limit 10
sglang length 10
triton_generate none -
END
trace-gen -q --isl 10 --osl 6 --count 8 --no-host -o run.trace

# responses: what the responses of run.events say, each kind once with its
# count: token events, those with a stamp, usage, reason, error.
responses()
{
	each run.events 'return unless $r->{kind} eq "response";
	    my $e = $r->{events} || $r; my $c = $e->{class} // "";
	    my $n = () = $c =~ /[cgtxa]/g;
	    my $s = grep { $_ >= 0 } @{$e->{server_ns} || []};
	    my $t = $r->{tokens} || {};
	    $h{join " ", $n, $s >= $n ? "stamped" : "bare", $t->{input} // "-",
	    $t->{output} // "-", ($r->{finish} || [])->[0] || "none",
	    $r->{error} ? $r->{error}{class} : "fine" .
	    ($r->{sse}{malformed} ? "-but-$r->{sse}{malformed}" : "")}++;
	    END { print "$h{$_}: $_\n" for sort keys %h }'
}

serve log --ttft 5ms --itl 1ms --stamp
while read -r api finish input; do
	replay_at run --api "$api" --model m --warmup 0 --concurrency 4 run.trace
	is $code 0 "$api: a run"
	sse-timestamp -q -z 0 run.tape >run.events
	is "$(responses)" "8: 6 stamped $input 6 $finish fine" \
	    "$api: each token, each count, the reason"
	metrics-reduce -q --format stream -z 0 run.events >run.metrics
	is "$(each run.metrics 'our ($n, $e); if ($r->{kind} eq "result") {
	    $n++ if defined $r->{ttft_ns} && defined $r->{tpot_ns};
	    $e++ if $r->{error} } END { print $n // 0, " ", $e // 0 }')" \
	    '8 0' "$api: TTFT and TPOT of each"
	replay_at run --api "$api" --model m --warmup 0 --no-stream run.trace
	is $code 0 "$api: a run of whole answers"
	sse-timestamp -q -z 0 run.tape >run.events
	is "$(responses | sed 's/: [0-9]* [a-z]* /: /')" \
	    "8: $input $([ "$input" = - ] && echo 1 || echo 6) $finish fine" \
	    "$api: counts and reason of whole answers"
done <apis
stop

# What goes wrong in the dialect's own way.
for fault in 500 truncate malformed error-event; do
	serve log --ttft 5ms --itl 1ms --fault "$fault:100%:2"
	case $fault in
	500) want=http ;;
	truncate) want=truncated ;;
	malformed) want=fine-but-1 ;; # one among good ones is no failure
	*) want=stream ;;
	esac
	while read -r api finish input; do
		replay_at run --api "$api" --model m --warmup 0 \
		    --max-failed 100% run.trace
		sse-timestamp -q -z 0 run.tape >run.events
		is "$(responses | sed 's/.* //' | sort -u)" "$want" \
		    "$api: $fault"
	done <apis
	stop
done
done_testing
