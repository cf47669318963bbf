# SPDX-License-Identifier: GPL-3.0-or-later
# listen.pl: what the servers of tests have in common.  To be required.
#
#	listen_free(QUEUE)          a socket that listens on a free port of
#	                            127.0.0.1, with so many that may wait
#	tell_port(SOCKET, FILE)     its port into FILE, which is whole once it is
#	                            there
#	read_head(CLIENT)           a request's head, whose body is read, too
use strict;
use warnings;
use IO::Socket::INET;

sub listen_free {
	my ($queue) = @_;
	for my $try (0 .. 49) {
		my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1',
		    LocalPort => 10000 + ($$ * 37 + $try * 1013) % 20000,
		    Listen => $queue, ReuseAddr => 1);
		return $s if $s;
	}
	die "no free port\n";
}

sub tell_port {
	my ($socket, $file) = @_;
	open(my $out, '>', "$file.new") or die "$file: $!\n";
	print $out $socket->sockport, "\n";
	close($out);
	rename("$file.new", $file) or die "$file: $!\n";
}

sub read_head {
	my ($client) = @_;
	my ($head, $len) = ('', 0);
	while (my $line = <$client>) {
		$head .= $line;
		$len = $1 if $line =~ /^content-length: (\d+)/i;
		last if $line =~ /^\r\n$/;
	}
	read($client, my $body, $len);
	return $head;
}

1;
