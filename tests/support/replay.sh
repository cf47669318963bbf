# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2016,SC2034,SC2154
# replay.sh: what the tests of trace-replay have in common.  To be sourced,
# behind tap.sh and server.sh.
#
#	serve NAME OPTION ...   a server with log NAME.log, after the options in
#	                  $pace; its address is in $at
#	replay NAME OPTION ...  trace-replay into NAME.tape, plain; what it says
#	                  is in NAME.err, its code in $code
#	replay_at NAME OPTION ...   the same, to the server at $at
#	connected COUNT   whether so many connections to $at are open: so many
#	                  requests are, where none is kept
#	has_lines COUNT PATTERN FILE   whether so many match
#	interrupt PID     as Ctrl-C; the process has it when this returns: of two
#	                  that pend it would have one
#	stop              ends all servers, whose logs are whole then, and the
#	                  processes in $pids
#	each TAPE CODE    perl CODE for each record $r of a plain stream; END
#	                  blocks and %h are at hand
#	run_end TAPE FIELD   of the (last) end record of a run
#	most TAPE         requests of the measured part open at once, at most
pace=''
pids=''

serve()
{
	name=$1
	shift
	# shellcheck disable=SC2086
	server_start "$name.log" $pace "$@" || exit 1
	at=${server_url#http://}
}

replay()
{
	name=$1
	shift
	timeout 300 trace-replay -q -z 0 --no-host "$@" >"$name.tape" \
	    2>"$name.err"
	code=$?
}

replay_at()
{
	name=$1
	shift
	replay "$name" --url "$at" "$@"
}

connected()
{
	awk -v port="$(printf ':%04X' "${at##*:}")" -v want="$1" '
	$3 ~ port "$" && $4 == "01" { n++ }
	END { exit n < want }' /proc/net/tcp
}

has_lines()
{
	[ "$(grep -c -e "$2" "$3" 2>/dev/null)" -ge "$1" ] 2>/dev/null
}

is_taken()
{
	! grep -q 'Pnd:.*[1-9a-f]' "/proc/$1/status" 2>/dev/null
}

interrupt()
{
	kill -s INT "$1"
	wait_until is_taken "$1"
}

stop()
{
	server_stop
	for pid in $pids; do
		kill "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	pids=
}

each()
{
	perl -MJSON::PP -e '
	my ($file, $code) = @ARGV;
	our (%h, $r);
	my $f = eval "sub { $code }" or die $@;
	open(my $in, "<", $file) or die "$file: $!";
	while (<$in>) { $r = decode_json($_); $f->(); }
	$r = undef;
	' "$1" "$2"
}

run_end()
{
	each "$1" 'our $v; $v = $r->{'"$2"'} if $r->{kind} eq "run" &&
	    $r->{at} eq "end"; END { print $v // "none" }'
}

most()
{
	each "$1" 'if ($r->{kind} eq "exchange" && $r->{stage} eq "measure") {
	    push @{$h{t}}, [$r->{start_ns}, 1], [$r->{end_ns}, -1] }
	    END { my ($n, $max) = (0, 0);
	    for (sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } @{$h{t}}) {
	    $n += $_->[1]; $max = $n if $n > $max } print $max }'
}
