# SPDX-License-Identifier: GPL-3.0-or-later
# connections.pl PORTFILE LOG: a server on 127.0.0.1 that answers every POST with
# one short event and keeps its connections.  LOG gets a line for each request:
# number of the connection, the client's address, and the last message's text.
# Ends by itself after a minute.
use strict;
use warnings;
use FindBin;
use IO::Select;
require "$FindBin::Bin/listen.pl";

my ($portfile, $logfile) = @ARGV;
my (%conn, $n);
my $server = listen_free(64);
open(my $log, '>', $logfile) or die "$logfile: $!\n";
$log->autoflush(1);
tell_port($server, $portfile);

my $body = 'data: {"choices":[{"index":0,"delta":{"content":"x"}}]}' . "\n\n" .
    "data: [DONE]\n\n";
my $answer = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" .
    'Content-Length: ' . length($body) . "\r\n\r\n$body";

# Whole requests in what came; GETs are answered with 404.
sub serve {
	my ($c, $sock) = @_;
	while ($c->{in} =~ /\A(\S+) .*?\r\n\r\n/s) {
		my ($method, $head) = ($1, $&);
		my $len = $head =~ /content-length: *(\d+)/i ? $1 : 0;
		return if length($c->{in}) < length($head) + $len;
		my $text = substr($c->{in}, length($head), $len);
		substr($c->{in}, 0, length($head) + $len) = '';
		if ($method ne 'POST') {
			print $sock
			    "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n";
			next;
		}
		my ($said) = $text =~ /"content":"([^"]*)"/;
		print $log "$c->{n} $c->{host} $said\n";
		print $sock $answer;
	}
}

my $all = IO::Select->new($server);
my $until = time + 60;
while (time < $until) {
	for my $s ($all->can_read(1)) {
		if ($s == $server) {
			my $new = $server->accept or next;
			$new->autoflush(1);
			$conn{$new} = { n => ++$n, in => '',
			    host => $new->peerhost };
			$all->add($new);
			next;
		}
		my $got = sysread($s, my $piece, 65536);
		if (!$got) {
			$all->remove($s);
			delete $conn{$s};
			close($s);
			next;
		}
		$conn{$s}{in} .= $piece;
		serve($conn{$s}, $s);
	}
}
