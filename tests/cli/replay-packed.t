#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Answers that were compressed on their way although identity was asked for:
# kept as they came, decoded with the times of what came, told of.
#
# Perl programs stand in single quotes:
# shellcheck disable=SC2016
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
# shellcheck source=tests/support/server.sh
. "$root/tests/support/server.sh"
# shellcheck source=tests/support/replay.sh
. "$root/tests/support/replay.sh"
scratch
cd "$tmp" || exit 1

# Ten events, in gzip with a flush behind each, each in a read of its own.
perl -MCompress::Raw::Zlib -MMIME::Base64 -e '
    my ($d) = Compress::Raw::Zlib::Deflate->new(-WindowBits => 31,
	-AppendOutput => 1);
    my @event = map { "data: {\"choices\":[{\"index\":0,\"delta\":{" .
	"\"content\":\"w$_\"}}]}\n\n" } 1 .. 8;
    push @event, "data: {\"choices\":[{\"index\":0,\"delta\":{}," .
	"\"finish_reason\":\"stop\"}]}\n\n", "data: [DONE]\n\n";
    open my $plain, ">", "plain.sse";
    open my $steps, ">", "steps";
    for (0 .. 9) {
	my $out = "";
	print $plain $event[$_];
	$d->deflate($event[$_], $out);
	$d->flush($out, $_ < 9 ? Z_SYNC_FLUSH : Z_FINISH);
	printf $steps "%s{\"base64\":\"%s\"}", $_ > 0 ?
	    ",{\"wait\":\"20ms\"}," : "", encode_base64($out, "");
    }' || exit 1
gzip -9n <plain.sse >plain.gz
zstd -q <plain.sse >plain.zst
head -c -6 plain.gz >cut.gz # within its checksum
head -c 20000000 /dev/zero | gzip -9n >bomb.gz

# rule NTH ENCODING STEPS
rule()
{
	printf '{"nth":%s,"headers":{"content-type":"text/event-stream",' "$1"
	printf '"content-encoding":"%s"},"play":[%s]}\n' "$2" "$3"
}
{
	rule 1 gzip "$(cat steps)"
	rule 2 gzip '{"file":"plain.gz"}'
	rule 3 zstd '{"file":"plain.zst","each":7,"gap":"1ms"}'
	rule 4 br '{"text":"whatever"}'
	rule 5 gzip '{"file":"bomb.gz"}'
	rule 6 gzip '{"file":"cut.gz"}'
	rule 7 identity '{"file":"plain.sse"}'
	rule 8 gzip '{"file":"plain.sse"}'
} >script

trace-gen -q --isl 10 --osl 8 --count 8 --no-host -o t.trace
serve s --script script
replay raw --url "$server_url" --concurrency 1 --warmup 0 t.trace
server_stop
is "$code" 0 "the answers came: $(cat raw.err)"
is "$(each raw.tape 'END { print $h{b} }
    $h{b} .= $r->{body_b64} // "" if $r->{kind} eq "exchange" && ++$h{n} == 2')" \
    "$(base64 -w 0 plain.gz)" "what came is kept as it came"

sse-timestamp -q -z 0 --no-host --text raw.tape >raw.events
each raw.events '
    next if $r->{kind} ne "response";
    my $e = $r->{error};
    print join(" ", $r->{encoding} // "-", $r->{events}{class} || "-",
	$e ? "$e->{class}/" . ($e->{cause} // "") : "-",
	length($r->{text} // "")), "\n"' >got
cat >want <<'END'
gzip ccccccccfd - 16
gzip ccccccccfd - 16
zstd ccccccccfd - 16
br - content-type/encoding 0
gzip - malformed/limit 0
gzip ccccccccfd malformed/encoding 16
- ccccccccfd - 16
gzip - malformed/encoding 0
END
is "$(cat got)" "$(cat want)" "each is decoded as far as it can be"

# The first came event by event, 20 ms apart, the second as one read.
is "$(each raw.events 'next if $r->{kind} ne "response" || $h{n}++ > 1;
    my $t = $r->{events}{t_ns};
    print scalar(grep { $t->[$_] > $t->[$_ - 1] } 1 .. $#$t), " ",
	$r->{events}{clk} =~ tr/m//, " ", $t->[-1] - $t->[0] > 150e6 ? "slow" :
	"fast", ";"')" "9 0 slow;0 9 fast;" \
    "events have the times of the reads that completed them"

metrics-reduce -q --no-host --format table raw.events >numbers
grep -q 'warn *encoding *answers came compressed: 1 br, 5 gzip, 1 zstd' numbers
ok $? "a check says so above the numbers"
grep -q 'content-type encoding: br' numbers
ok $? "and the failure its encoding"

serve s2 --script script
replay events --url "$server_url" --concurrency 1 --warmup 0 --keep events \
    t.trace
server_stop
is "$(each events.tape 'next if $r->{kind} ne "response";
    print join(" ", $r->{encoding} // "-", $r->{events}{class} || "-"), "\n"' |
    head -n 3)" "$(cut -d ' ' -f 1,2 want | head -n 3)" \
    "the writer decodes them, too"

trace-view --timeline --x "$(each raw.tape 'print $r->{x}
    if $r->{kind} eq "exchange" && ++$h{n} == 1')" raw.tape >view
is "$(grep -c ' c .*w[1-8]' view)" 8 "and trace-view shows the events: $(cat view)"
done_testing
