# SPDX-License-Identifier: GPL-3.0-or-later
# pages.pl PORTFILE: a page of a Prometheus exporter, six times: the second takes
# 0.35 s, the fourth is an error, the fifth is no such page.
use strict;
use warnings;
use FindBin;
require "$FindBin::Bin/listen.pl";

my $server = listen_free(5);
tell_port($server, $ARGV[0]);
alarm(60);
for my $n (1 .. 6) {
	my $client = $server->accept or die "accept: $!\n";
	read_head($client);
	my $body = $n == 5 ? "<html></html>\n" :
	    "vllm:num_requests_running{model_name=\"a\"} $n\n";
	select(undef, undef, undef, 0.35) if $n == 2;
	print $client "HTTP/1.1 ", ($n == 4 ? "500 Oh" : "200 OK"),
	    "\r\ncontent-length: ", length($body),
	    "\r\nconnection: close\r\n\r\n$body";
	close($client);
}
