#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Behind Debian's nginx, as servers stand: plain and TLS, HTTP/1.1 and HTTP/2,
# its buffering on and off, compression on and off.  The results are right each
# time, and where it keeps events back that is seen.
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
# shellcheck source=tests/support/nginx.sh
. "$root/tests/support/nginx.sh"
scratch
cd "$tmp" || exit 1
if ! command -v nginx >/dev/null || ! command -v openssl >/dev/null; then
	skip 1 'needs nginx and openssl'
	done_testing
fi

tokens=30
all=12
trace-gen -q --isl 10 --osl $tokens --count $all --no-host -o run.trace
self_signed server
serve log --ttft 20ms --itl 10ms
large='proxy_buffering on; proxy_buffer_size 64k; proxy_buffers 8 64k;
    proxy_busy_buffers_size 128k;'
gzip='gzip on; gzip_types *; gzip_min_length 0; gzip_proxied any;'
front "upstream up { server $at; keepalive 8; }
server {
	listen 127.0.0.1:@P@; listen 127.0.0.1:@Q@ ssl http2;
	ssl_certificate $tmp/server.pem; ssl_certificate_key $tmp/server.key;
	proxy_set_header Connection '';
	location /off/ { proxy_pass http://up/; }
	location /on/ { proxy_pass http://up/; $large }
	location /off-gzip/ { proxy_pass http://up/; $gzip }
	location /on-gzip/ { proxy_pass http://up/; $large $gzip }
}"
ok $? 'nginx runs'

# seen: of all measured responses, each kind once: token events and output
# tokens, reason or error, and whether events came one by one or in one read.
seen()
{
	each run.events 'return unless $r->{kind} eq "response" &&
	    $r->{stage} eq "measure";
	    my $n = () = $r->{events}{class} =~ /c/g;
	    my $how = $r->{reads} == 1 ? "in one read" :
		$r->{reads} > $n / 5 ? "one by one" : "$r->{reads} reads";
	    $h{join " ", $n, $r->{tokens}{output} // "-",
	    $r->{error} ? $r->{error}{class} : $r->{finish}[0],
	    $ENV{how} eq "anyhow" ? "anyhow" : $how}++;
	    END { print join ", ", map { "$h{$_}: $_" } sort keys %h }'
}

# through WHERE OPTION ...: plays through a place of nginx.
through()
{
	where=$1
	shift
	replay run --cacert server.pem --warmup 2 --concurrency 2 \
	    --accept-encoding "$coding" --url "$where" "$@" run.trace
	sse-timestamp -q -z 0 run.tape >run.events
}

# What nginx keeps back with large buffers: through TLS and HTTP/1.1 what fits
# into a record, and all that it compresses; else now and then something.
while read -r place coding scheme version how; do
	export how
	option=
	[ "$version" = 2 ] && option=--http2
	at=http://127.0.0.1:$P
	[ "$scheme" = https ] && at=https://127.0.0.1:$Q
	# shellcheck disable=SC2086
	through "$at/$place" $option
	is "$code $(seen)" "0 $all: $tokens $tokens length $how" \
	    "$scheme, HTTP/$version, $place, $coding"
	[ "$how" = anyhow ] && continue
	verdict=ok
	[ "$how" = 'in one read' ] && verdict=fail
	metrics-reduce -q --format stream -z 0 run.events >run.metrics
	is "$(each run.metrics 'print $r->{status}
	    if $r->{kind} eq "check" && $r->{name} eq "buffered"')" $verdict \
	    '  and the check of buffering says so'
done <<'END'
off identity http 1.1 one by one
on identity http 1.1 anyhow
off-gzip gzip http 1.1 one by one
on-gzip gzip http 1.1 in one read
off identity https 1.1 one by one
on identity https 1.1 in one read
off-gzip gzip https 1.1 one by one
on-gzip gzip https 1.1 in one read
off identity https 2 one by one
on identity https 2 anyhow
off-gzip gzip https 2 one by one
on-gzip gzip https 2 in one read
END
is "$(each run.tape 'our ($n, $z); if ($r->{kind} eq "exchange") { $n++;
    $z++ if grep { $_->[0] eq "content-encoding" } @{$r->{headers}} }
    END { print $n == $z ? "all" : "$z of $n" }')" all \
    'compressed answers are kept as they came'

# curl by HTTP/2, stamped as it comes.
curl -sSN --noproxy '*' --cacert server.pem --http2 --max-time 60 \
    -d '{"messages":[{"role":"user","content":"a b"}],"max_tokens":30,"stream":true}' \
    "https://127.0.0.1:$Q/off/v1/chat/completions" |
    sse-timestamp --format lines >shown
is "$(grep -c ' c[ 0-9]' shown)" 30 'curl --http2, stamped as it comes'
stop
done_testing
