#!/usr/bin/perl
# SPDX-License-Identifier: GPL-3.0-or-later
#
# account.pl TAPE LOG [METRICS]: whether every request of a plain tape of
# trace-replay is accounted for exactly once: in its exchanges, in the counts of
# its runs, in the log of the trace-serve that it was played against, and in the
# results and counts of metrics-reduce (a plain stream).  The tape was made with
# --request-id-header X-Request-ID.  An answer with a field x-account says there
# which error its result has to have, "CLASS CAUSE" or "none".  Prints what was
# found; each thing that is wrong in a line that begins with "wrong:", and then
# exits 1.
use strict;
use warnings;
use JSON::PP;

my ($tape, $log, $metrics) = @ARGV;
my $wrong = 0;
my (%of, %end, %start, %x, %count, %error, @sent);

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

# The scalars of a line, nested ones too, but those of arrays: of many lines it
# is all that is needed, and ten times as fast as to decode them.
sub scalars
{
	my ($line) = @_;
	my %r;

	$line =~ s/,"(?:body|body_b64)":"(?:[^"\\]|\\.)*+"(?=\}\n)//;
	$r{account} = $1 if $line =~ /\["x-account","([^"]*)"\]/;
	$line =~ s/,"headers":\[\[.*?\]\]//;
	while ($line =~ /"(\w+)":(?:"((?:[^"\\]|\\.)*+)"|([-\w.+]+))/g) {
		$r{$1} //= $2 // ($3 eq 'true' ? 1 : $3 eq 'false' ? 0 : $3);
	}
	$r{error} = { class => $r{class}, cause => $r{cause} // '' }
	    if $line =~ /"error":\{/;
	return \%r;
}

# Calls code with each record.
sub each_line
{
	my ($file, $code) = @_;

	open(my $in, '<', $file) or die "$file: $!\n";
	while (my $line = <$in>) {
		$code->($line =~ /^\{"kind":"(?!exchange|result)/ ?
		    decode_json($line) : scalars($line));
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
	if (unsent($r->{error})) {
		$error{"$r->{error}{class} $r->{error}{cause}"}++;
	} else {
		push @sent, $r;
	}
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
		    $a[$i]{start_ns} < ($a[$i - 1]{retry_ns} // 0);
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

# What the server says of an attempt is what the client has of it.  The server
# may not have seen what got no answer.
my %class = (
	complete => 'none', stale => 'none', malformed => 'none',
	'error-event' => 'none', 429 => 'http', 500 => 'http', 503 => 'http',
	refused => 'http', close => 'reset', reset => 'reset',
	stall => 'timeout', truncate => 'truncated', 'bad-chunk' => 'truncated',
);
my (%line, %outcome);
my $lines = 0;
each_line($log, sub {
	my ($r) = @_;

	return if $r->{path} !~ m{completions};
	wrong("the server has two requests with the id $r->{id}")
	    if $line{$r->{id}};
	$lines++;
	$line{$r->{id}} = $r;
	$outcome{$r->{outcome}}++;
});
my $known = 0;
for my $r (@sent) {
	my $id = $r->{request_id} // 'none';
	my $class = $r->{error} ? $r->{error}{class} : 'none';
	my $l = $line{$id};

	$error{$class . ($r->{error} ? " $r->{error}{cause}" : '')}++;
	if (!$l) {
		wrong("exchange $r->{x} ($class): the server has no request $id")
		    if defined $r->{status} ||
		    $class !~ /^(dns|connect|tls|send|reset|cancelled|client)$/;
		next;
	}
	wrong("request $id has two exchanges") if $l->{seen}++;
	$known++;
	# What the client gives up has no other end for the server.
	next if $class eq 'cancelled' ||
	    $class eq 'timeout' && $l->{outcome} eq 'client-closed';
	my $want = $class{$l->{outcome}} // '?';
	$want = 'http' if $want eq 'none' && $l->{status} >= 300;
	wrong("request $id: $class, and the server says $l->{outcome}")
	    if $want ne $class;
	wrong("request $id: status")
	    if ($r->{status} // 0) != ($l->{status} // 0);
}
for my $id (keys %line) {
	wrong("request $id of the server has no exchange")
	    unless $line{$id}{seen};
}

# A result for each request, by its last attempt; and the counts of a run's
# summaries and checks are those of its results.
if (defined $metrics) {
	my (%seen, %n, %summary, %check, %class_of);

	each_line($metrics, sub {
		my ($r) = @_;

		$summary{$r->{run}} = $r if $r->{kind} eq 'summary' &&
		    $r->{metric} eq 'latency' && !$r->{group};
		$check{$r->{run}}{$r->{name}} = $r if $r->{kind} eq 'check';
		return if $r->{kind} ne 'result';
		my $key = join ' ', @$r{qw(run stage pass id)};
		my $a = $of{$key} // [];

		wrong("$key has two results") if $seen{$key}++;
		if (!@$a) {
			wrong("$key: a result, and no exchange");
		} elsif ($r->{attempt} != @$a) {
			wrong("$key: result of attempt $r->{attempt} of " . @$a);
		}
		my $e = $r->{error} ?
		    "$r->{error}{class} $r->{error}{cause}" : 'none';
		my $told = @$a ? $a->[-1]{account} : undef;

		wrong("$key: $e, and its answer is to be $told")
		    if defined $told && $told ne $e &&
		    $e !~ /^(cancelled|timeout) /;
		$class_of{$e}++;
		return if $r->{stage} ne 'measure';
		my $n = $n{$r->{run}} //= { all => 0, ok => 0, failed => 0,
		    planned => 0, retried => 0 };

		$n->{all}++;
		$n->{$r->{ok} ? 'ok' : planned($r->{error}) ? 'planned' :
		    'failed'}++;
		$n->{retried}++ if @$a > 1;
	});
	for my $key (keys %of) {
		wrong("$key has no result") unless $seen{$key};
	}
	for my $run (sort { $a <=> $b } keys %n) {
		my ($n, $s, $c) = ($n{$run}, $summary{$run}, $check{$run});

		same("run $run, failed in its summary", $s->{failed},
		    $n->{failed});
		same("run $run, cancelled in its summary", $s->{cancelled} // 0,
		    $n->{planned});
		same("run $run, retried in its summary", $s->{retried} // 0,
		    $n->{retried});
		same("run $run, n of check requests", $c->{requests}{n},
		    $n->{all});
		same("run $run, n of check errors", $c->{errors}{n}, $n->{ok});
		same("run $run, the results", $n->{all}, $count{$run}{all});
		same("run $run, cancelled on purpose", $n->{planned},
		    $count{$run}{planned} // 0);
		printf "run %d: %d ok, %d failed, %d cancelled on purpose, %d " .
		    "sent again\n", $run, @$n{qw(ok failed planned retried)};
	}
	print 'results: ', listed(\%class_of), "\n";
}

sub listed
{
	my ($h) = @_;

	return join ', ', map { "$h->{$_} $_" } sort keys %$h;
}

printf "%d requests, %d exchanges, %d sent, %d seen by the server\n",
    scalar keys %of, scalar keys %x, scalar @sent, $known;
print 'client: ', listed(\%error), "\n";
print 'server: ', listed(\%outcome), "\n";
exit $wrong;
