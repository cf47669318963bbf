# SPDX-License-Identifier: GPL-3.0-or-later
# full.pl PORTFILE: listens for a minute and never accepts; those who may wait
# are there already.
use strict;
use warnings;
use FindBin;
require "$FindBin::Bin/listen.pl";

my $server = listen_free(1);
my @waiting = map { IO::Socket::INET->new(PeerAddr => '127.0.0.1',
    PeerPort => $server->sockport, Blocking => 0) } 1 .. 4;
tell_port($server, $ARGV[0]);
sleep 60;
