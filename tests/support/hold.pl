#!/usr/bin/perl
# SPDX-License-Identifier: GPL-3.0-or-later
#
# hold.pl MODE PORTFILE: a server that keeps its clients waiting, until it is
# ended:
#
#	deaf	accepts no connection, of which some may wait
#	mute	accepts, reads, and never answers
#	drip	begins an answer, and sends a byte of it an hour
#	open	sends a whole answer whose end is that of the connection, which
#		never comes
#	tls	accepts, and never says anything of TLS
use strict;
use warnings;
use FindBin;
use IO::Select;
require "$FindBin::Bin/listen.pl";

my ($mode, $port_file) = @ARGV;
my $listener = listen_free($mode eq 'deaf' ? 1 : 100);
my $set = IO::Select->new;
my %begin = (
	drip => "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" .
	    "Transfer-Encoding: chunked\r\n\r\n7\r\ndata: {",
	open => "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" .
	    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"}," .
	    "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
);

$SIG{PIPE} = 'IGNORE';
tell_port($listener, $port_file);
$set->add($listener) if $mode ne 'deaf';
sleep(3600) if $mode eq 'deaf';
while (my @ready = $set->can_read(3600)) {
	for my $s (@ready) {
		if ($s == $listener) {
			$set->add($listener->accept);
			next;
		}
		my $got = sysread($s, my $text, 65536);
		if (!$got) {
			$set->remove($s);
			close($s);
		} elsif ($begin{$mode} && $text =~ /\r\n\r\n/) {
			syswrite($s, $begin{$mode});
		}
	}
}
