# SPDX-License-Identifier: GPL-3.0-or-later
# echo.pl PORTFILE LOG: a server that answers one request after the other, each
# on a connection of its own.  LOG gets their heads as they stand on the wire.
# A key is refused, and repeated aloud; without one the answer is an empty
# stream.
use strict;
use warnings;
use FindBin;
require "$FindBin::Bin/listen.pl";

my ($portfile, $logfile) = @ARGV;
my $server = listen_free(5);
open(my $log, '>', $logfile) or die "$logfile: $!\n";
$log->autoflush(1);
tell_port($server, $portfile);

my $stream = "data: [DONE]\n\n";
while (my $client = $server->accept) {
	my $head = read_head($client);
	print $log $head;
	if (my ($line) = $head =~ /(Authorization: .*)\r/) {
		my ($key) = $line =~ /Bearer (\S+)/;
		my $said = "{\"error\":{\"message\":\"bad key in $line\"}}";
		print $client "HTTP/1.1 401 No\r\nX-Echo: ", $key // '',
		    "\r\nWWW-Authenticate: x\r\nContent-Length: ",
		    length($said), "\r\n\r\n$said";
	} else {
		print $client "HTTP/1.1 200 OK\r\nContent-Length: ",
		    length($stream),
		    "\r\nContent-Type: text/event-stream\r\n\r\n$stream";
	}
	close($client);
}
