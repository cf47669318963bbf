# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2016,SC2034
# replay.sh: what the tests of trace-replay have in common.  To be sourced,
# behind tap.sh and server.sh.
#
#	stop              ends all servers, whose logs are whole then, and the
#	                  processes in $pids
#	each TAPE CODE    perl CODE for each record $r of a plain stream; END
#	                  blocks and %h are at hand
#	run_end TAPE FIELD   of the (last) end record of a run
pids=''

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
