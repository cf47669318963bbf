#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# trace-replay's --clock: reads have the kernel's times, or say that they have
# none.
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

server_start server.log --ttft 5ms --itl 2ms || exit 1
trace-gen --count 6 --isl 20 --osl 20 --no-host -q -z 0 -o t.trace || exit 1

# replay NAME OPTION ...: into NAME.tape, plain.
replay()
{
	name=$1
	shift
	LD_PRELOAD=$preload NOSTAMP=$how timeout 60 trace-replay -q -z 0 --no-host --url "$server_url" \
	    --warmup 0 "$@" -o "$name.tape" t.trace 2>"$name.err"
	code=$?
}

# clocks TAPE: "kernel" when at least nine of ten reads have a lag, and no lag
# or time of a read is out of order; "user" when none has.
clocks()
{
	each "$1" '
	if ($r->{kind} eq "exchange" || $r->{kind} eq "part") {
		my ($t, $l) = @{$r->{reads}}{"t_ns", "lag_ns"};
		my $last = 0;
		for my $i (0 .. $#$t) {
			my $lag = $l && defined $l->[$i] ? $l->[$i] : -1;
			my $k = $t->[$i] - ($lag > 0 ? $lag : 0);
			$h{n}++;
			$h{kernel}++ if $lag >= 0;
			$h{bad}++ if $lag < -1 || $k < $last;
			$last = $k;
		}
	}
	END {
		my ($n, $k) = ($h{n} || 0, $h{kernel} || 0);
		print $h{bad} ? "bad" : !$n ? "no reads" :
		    $k >= 0.9 * $n ? "kernel" : $k == 0 ? "user" : "$k of $n";
	}'
}

how='' preload=''
replay kernel
is "$code" 0 "kernel times are the default"
is "$(clocks kernel.tape)" kernel "reads have them"
replay user --clock user
is "$code" 0 "--clock user"
is "$(clocks user.tape)" user "has none"

preload=$B/support/nostamp.so
for how in refuse drop; do
	replay $how
	is "$code" 0 "a system that gives none ($how)"
	is "$(clocks $how.tape)" user "is as with --clock user"
done
stop
done_testing
