#!/usr/bin/perl
# SPDX-License-Identifier: GPL-3.0-or-later
#
# account.pl TAPE LOG [METRICS]: whether every request of a plain tape of
# trace-replay is accounted for exactly once: in its exchanges, in the counts of
# its runs, in the log of the trace-serve that it was played against, and in the
# results of metrics-reduce (a plain stream).  Prints what was found in one line;
# each thing that is wrong in a line that begins with "wrong:", and exits 1.
use strict;
use warnings;
use JSON::PP;

my ($tape, $log, $metrics) = @ARGV;
my $wrong = 0;
my (%of, %end, %start, %x, %count, @sent);

sub wrong
{
	$wrong = 1;
	print "wrong: @_\n";
}

sub same
{
	my ($what, $got, $want) = @_;

	wrong("$what: $got, not $want") if $got != $want;
}

# Calls code with each record.
sub each_line
{
	my ($file, $code) = @_;

	open(my $in, '<', $file) or die "$file: $!\n";
	while (my $line = <$in>) {
		$code->(decode_json($line));
	}
	close($in);
}

sub planned
{
	my ($e) = @_;

	return $e && $e->{class} eq 'cancelled' && $e->{cause} eq 'planned';
}

# It never reached the network.
sub unsent
{
	my ($e) = @_;

	return $e && ($e->{cause} eq 'unsent' || $e->{cause} eq 'predecessor');
}

each_line($tape, sub {
	my ($r) = @_;

	if ($r->{kind} eq 'run') {
		my $at = $r->{at} eq 'end' ? \%end : \%start;

		wrong("run $r->{run}: two records of its $r->{at}")
		    if $at->{$r->{run}};
		$at->{$r->{run}} = $r;
	}
	return if $r->{kind} ne 'exchange';
	wrong("exchange $r->{x} is there twice") if $x{$r->{x}}++;
	push @{$of{join ' ', @$r{qw(run stage pass id)}}}, $r;
	push @sent, $r unless unsent($r->{error});
});

# The attempts of each request are 1, 2, ..., each but the last announces the
# next, and begins behind it.
for my $key (sort keys %of) {
	my @a = sort { $a->{attempt} <=> $b->{attempt} } @{$of{$key}};
	my $last = $a[-1];

	for my $i (0 .. $#a) {
		wrong("$key: attempt $a[$i]{attempt} is number " . ($i + 1))
		    if $a[$i]{attempt} != $i + 1;
		wrong("$key: attempt " . ($i + 1) . ' and what follows it')
		    if defined $a[$i]{retry_ns} != ($i < $#a);
		wrong("$key: the origin of attempt " . ($i + 1))
		    if ($a[$i]{origin_start_ns} // $a[0]{start_ns}) !=
		    $a[0]{start_ns} || defined $a[$i]{origin_due_ns} != ($i > 0);
		wrong("$key: attempt " . ($i + 1) . ' came too early')
		    if $i > 0 && !unsent($a[$i]{error}) &&
		    $a[$i]{start_ns} < $a[$i - 1]{retry_ns};
	}
	next if $last->{stage} ne 'measure';
	my $c = $count{$last->{run}} //= {};
	my $e = $last->{error};

	$c->{all}++;
	$c->{!$e ? 'done' : planned($e) ? 'planned' : 'failed'}++;
	$c->{cancelled}++ if $e && $e->{class} eq 'cancelled' && !planned($e);
	$c->{doomed}++ if $e && $e->{cause} eq 'predecessor';
	$c->{retries} += grep { !unsent($_->{error}) } @a[1 .. $#a];
}

for my $run (sort { $a <=> $b } keys %start) {
	my ($c, $r) = ($count{$run} // {}, $end{$run});

	if (!$r) {
		wrong("run $run has no end");
		next;
	}
	same("run $run, sent", $r->{sent}, ($c->{all} // 0) - ($c->{doomed} // 0));
	same("run $run, done", $r->{done}, $c->{done} // 0);
	same("run $run, failed", $r->{failed}, $c->{failed} // 0);
	same("run $run, cancelled", $r->{cancelled}, $c->{cancelled} // 0);
	same("run $run, planned", $r->{planned_cancelled} // 0, $c->{planned} // 0);
	same("run $run, retries", $r->{retries} // 0, $c->{retries} // 0);
	same("run $run, of those planned", $r->{requests},
	    ($c->{all} // 0) + $r->{unsent}) if defined $r->{unsent};
}

# Each line of the server's log about a request is one attempt: those that were
# answered say which.  Whether the server has seen one that got no answer is
# known from the log alone, so these are matched by number.
my (%line, $lines);
each_line($log, sub {
	my ($r) = @_;

	return if $r->{path} !~ m{completions};
	$lines++;
	$line{$r->{id}} = $r;
});
my ($known, $blind) = (0, 0);
for my $r (@sent) {
	my ($id) = map { $_->[1] } grep { lc $_->[0] eq 'x-request-id' }
	    @{$r->{headers} // []};

	if (!defined $id) {
		$blind++;
	} elsif (!$line{$id}) {
		wrong("exchange $r->{x}: the server knows no request $id");
	} elsif ($line{$id}{seen}++) {
		wrong("request $id of the server has two exchanges");
	} else {
		$known++;
		wrong("request $id: status $r->{status}, $line{$id}{status}")
		    if $r->{status} != $line{$id}{status};
	}
}
my $rest = ($lines // 0) - $known;
wrong("$rest requests of the server and no exchange for more than $blind")
    if $rest > $blind;

# A result for each request, by its last attempt.
if (defined $metrics) {
	my %seen;

	each_line($metrics, sub {
		my ($r) = @_;

		return if $r->{kind} ne 'result';
		my $key = join ' ', @$r{qw(run stage pass id)};
		my @a = sort { $a->{attempt} <=> $b->{attempt} }
		    @{$of{$key} // []};

		wrong("$key has two results") if $seen{$key}++;
		if (!@a) {
			wrong("$key: a result, and no exchange");
		} elsif ($r->{attempt} != @a) {
			wrong("$key: result of attempt $r->{attempt} of " . @a);
		}
	});
	for my $key (keys %of) {
		wrong("$key has no result") unless $seen{$key};
	}
}

printf "%d requests, %d exchanges, %d sent, %d in the log, %d of these " .
    "matched\n", scalar keys %of, scalar keys %x, scalar @sent, $lines // 0,
    $known;
exit $wrong;
