#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-3.0-or-later
#
# front.pl PORT FILE: hands everything on to 127.0.0.1:PORT, but for requests for
# /v1/models, of which each is answered with another name.  Its own port, below
# 32768, is in FILE once it listens.  Ends when it is told to, or after 120 s.
use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;

my ($behind, $file) = @ARGV;
my $listen;
for my $port (map { 11000 + ($$ * 17 + $_ * 997) % 20000 } 0 .. 19) {
	$listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1',
	    LocalPort => $port, Listen => 64, ReuseAddr => 1) and last;
}
die "front: no free port\n" unless $listen;
open(my $out, '>', "$file.new") or die "$file: $!\n";
print $out $listen->sockport;
close($out);
rename("$file.new", $file) or die "$file: $!\n";

alarm(120);
my $served = 0;
my %peer;
my $all = IO::Select->new($listen);

sub drop {
	my ($from) = @_;
	my $to = delete $peer{$from};
	$all->remove($from);
	close($from);
	return unless $to;
	delete $peer{$to};
	$all->remove($to);
	close($to);
}

sub models {
	my ($to) = @_;
	my $body = '{"object":"list","data":[{"id":"llmtape' .
	    ($served++ ? "-$served" : '') . '","object":"model"}]}';
	syswrite($to, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n" .
	    'content-length: ' . length($body) . "\r\n\r\n$body");
}

while (my @ready = $all->can_read(60)) {
	for my $from (@ready) {
		if ($from == $listen) {
			my $client = $listen->accept or next;
			my $server = IO::Socket::INET->new(
			    PeerAddr => '127.0.0.1', PeerPort => $behind);
			if (!$server) {
				close($client);
				next;
			}
			$peer{$client} = $server;
			$peer{$server} = $client;
			$all->add($client, $server);
			next;
		}
		next unless $peer{$from};
		my $n = sysread($from, my $bytes, 65536);
		if (!$n) {
			drop($from);
		} elsif ($bytes =~ m{^GET \S*/v1/models }) {
			models($from);
		} else {
			syswrite($peer{$from}, $bytes);
		}
	}
}
