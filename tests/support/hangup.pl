#!/usr/bin/perl
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Takes a part of each request, then resets the connection, so that what is left
# of a large one cannot be sent.
#
#	hangup.pl PORTFILE BYTES N
#
# After N connections it ends.
use strict;
use warnings;
use Socket;
use FindBin;
require "$FindBin::Bin/listen.pl";

my ($file, $bytes, $n) = @ARGV;
my $listener = listen_free(64);
tell_port($listener, $file);
alarm(60);
while ($n-- > 0 and my $c = $listener->accept) {
	my $got = 0;
	while ($got < $bytes and my $len = sysread($c, my $part, 65536)) {
		$got += $len;
	}
	setsockopt($c, SOL_SOCKET, SO_LINGER, pack('ii', 1, 0));
	close($c);
}
