#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# trace-replay: ways to a server, through a real one in front: certificates of
# both sides, HTTP/2, Unix sockets, redirects, proxies, compression, and header
# lines that are one request's.
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

why()
{
	tail -n 3 "$name.err" nginx.err 2>/dev/null | sed 's/^/# /'
}

cat >four.trace <<'END'
{"kind":"header","format":"llmtape.trace","version":"1.0","epoch":"2026-03-01T12:00:00.000000000Z","epoch_mono":"0.000000000","run_id":"00000000000000000000000000000000","prov":[]}
{"kind":"request","id":"a1","session":"conv a","turn":1,"input":{"text":"one two"},"output_tokens":3}
{"kind":"request","id":"b1","session":"b","turn":1,"input":{"text":"one two"},"output_tokens":3}
{"kind":"request","id":"c1","input":{"text":"one two"},"output_tokens":3}
{"kind":"request","id":"a2","session":"conv a","turn":2,"after":["a1"],"input":{"text":"one two"},"output_tokens":3}
{"kind":"end","records":4,"status":"complete"}
END

# to NAME URL OPTION ...: the four requests
to()
{
	name=$1
	url=$2
	shift 2
	replay "$name" --url "$url" --warmup 0 --model m "$@" four.trace
}

# values TAPE FIELD: of the exchanges, each once, with its count; - is absent
values()
{
	each "$1" 'if ($r->{kind} eq "exchange") { my $v = $r;
	    $v = ref $v ? $v->{$_} : undef for split /\./, "'"$2"'";
	    $h{$v // "-"}++ }
	    END { print join(" ", map { "$_:$h{$_}" } sort keys %h) }'
}

# tokens TAPE: how many answers have all their tokens
tokens()
{
	sse-timestamp -q -z 0 <"$1" | each /dev/stdin 'our $n; $n++
	    if $r->{kind} eq "response" && !$r->{error} &&
	    ($r->{tokens}{output} // 0) == 3; END { print $n // 0 }'
}

# What is refused before anything is sent.
refused()
{
	to refused 127.0.0.1:1 "$@"
	is "$code $(grep -c '^{' refused.tape)" "2 0" "refused: $*"
}
refused --key k
refused --key-pass-env P
refused --insecure --cacert c
refused --no-proxy a
refused --unix-socket s --proxy p
refused --cert no-such-file
refused --unix-socket ''
refused --session-header 'a b'
refused --session-header Host
refused --session-header X-A --request-id-header x-a
refused --session-header X-A --header 'X-A: 1'
refused --accept-encoding "gzip
X: y"
refused --http2 --connections session

# Several servers of one deployment.
serve left
left=$at
serve right
right=$at
to turns "$left" --url "$right"
is "$code $(each turns.tape '$h{$r->{target}}++ if $r->{kind} eq "exchange";
    END { print join " ", @h{"http://'"$left"'", "http://'"$right"'"} }')" \
    "0 3 1" "several URLs are used in turn"
is "$(each turns.tape '$h{$r->{target}} .= $r->{id} if $r->{kind} eq "exchange";
    END { print join " ", sort values %h }')" "a1c1a2 b1" \
    "and a session stays where it began"
to partly "$left" --url 127.0.0.1:1
is "$code $(each partly.tape 'print $r->{id} if $r->{error}') \
$(tokens partly.tape)" "1 b1 3" "each goes where its record says"
to again "$left" --url 127.0.0.1:1 --retry 1
is "$(each again.tape 'print "$r->{attempt}$r->{target} " if $r->{error}')" \
    "1http://127.0.0.1:1 2http://127.0.0.1:1 " "a retry goes where it was"
is "$(each turns.tape 'print join " ", @{$r->{targets}} if $r->{kind} eq "run" &&
    $r->{at} eq "start"')" "http://$left http://$right" "the run has them"
replay arms --arm "A=$left" --arm "B=$right" --arm "A=u:pw-sesame@$right" \
    --rounds 2 --warmup 0 --wait-ready --model m four.trace
is "$code $(grep -c sesame arms.tape)" "0 0" "an arm with two"
is "$(each arms.tape '$h{"$r->{run}$r->{target}"}++ if $r->{kind} eq "exchange";
    $h{arm}{$r->{run}} = $r->{arm} if $r->{kind} eq "run";
    END { print join " ", map { $h{arm}{substr $_, 0, 1} .
	($_ =~ /'"$left"'/ ? "left" : "right") . $h{$_} }
	grep /^\d/, sort keys %h }' | tr ' ' '\n' | sort | tr '\n' ' ')" \
    "Aleft3 Aleft3 Aright1 Aright1 Bright4 Bright4 " "in each of its runs"
trace-replay -z 0 --arm "A=$left" --arm "A=$right" --warmup 0 --model m \
    four.trace 2>arms2.err >arms2.tape
is "$(grep -c 'arm A: requests go to 2 URLs' arms2.err)" 1 "which is said"
stop
replay half --url "$left" --url 127.0.0.1:1 --wait-ready --wait-timeout 700ms \
    --model m four.trace
is "$code" 4 "all of them are waited for"

version=$(trace-replay --version | sed -n 's/.*libcurl[ /]\([0-9]*\).*/\1/p')
if [ "$version" -lt 8 ]; then
	to old 127.0.0.1:1 --http2
	is "$code $(grep -c 'needs libcurl 8.0.0: with this one, 7' old.err)" \
	    "2 1" "HTTP/2 in the clear is refused with an old libcurl"
else
	skip 1 "libcurl is not old"
fi

if ! command -v nginx >/dev/null || ! command -v openssl >/dev/null; then
	skip 40 "needs nginx and openssl"
	done_testing
fi
self_signed server
self_signed client -passout pass:open-sesame
openssl pkcs8 -topk8 -in client.key -out locked.key -passout pass:open-sesame \
    2>/dev/null
serve hang --ttft 30s
hang=$at
serve drop --itl 30s
drop=$at
serve back
front "server { listen 127.0.0.1:@P@ ssl http2; ssl_certificate $tmp/server.pem;
    ssl_certificate_key $tmp/server.key; keepalive_requests 20;
    location /hang/ { proxy_pass http://$hang/; }
    location /drop/ { proxy_pass http://$drop/; }
    location / { proxy_pass http://$at; } }
server { listen 127.0.0.1:@Q@ ssl; ssl_certificate $tmp/server.pem;
    ssl_certificate_key $tmp/server.key; ssl_verify_client on;
    ssl_client_certificate $tmp/client.pem;
    location / { proxy_pass http://$at; } }
server { listen 127.0.0.1:@R@; listen unix:$tmp/socket;
    location /old { rewrite ^/old(.*)\$ http://127.0.0.1:@R@\$1?key=s3cret? redirect; }
    location /jar/ { add_header Set-Cookie jar=full always;
	if (\$http_cookie) { return 418; } proxy_pass http://$at/; }
    location /away { rewrite ^ http://localhost:@R@/ redirect; }
    location / { proxy_pass http://$at; } }
server { listen 127.0.0.1:@S@; gzip on; gzip_types text/event-stream;
    gzip_min_length 1; gzip_proxied any;
    location / { proxy_pass http://$at; } }
server { listen 127.0.0.1:@T@;
    location /generate { default_type application/json;
	return 200 '{\"generated_text\":\"x\"}'; }
    location = /v1/models { return 404; }
    location = /health { return 404; }
    location / { proxy_pass \$scheme://\$http_host\$request_uri; } }"
ok $? "nginx runs"

# HTTP/2 over TLS: all requests on one connection.
to two "https://127.0.0.1:$P" --cacert server.pem --http2 --concurrency 4
is "$code $(tokens two.tape)" "0 4" "HTTP/2 over TLS"
is "$(values two.tape http)" "2:4" "is recorded"
is "$(values two.tape reused)" "0:1 1:3" "one connection has all"
is "$(each two.tape '$h{$r->{tls}}++ if $r->{tls}; END {
    print grep(/^TLSv1\.[23] \/ \S+$/, keys %h) ? "yes" : "no" }')" yes \
    "whose version of TLS and cipher are known"
is "$(each two.tape 'push @{$h{l}}, @{$r->{reads}{lag_ns}}
    if $r->{kind} eq "exchange";
    END { print grep($_ != -1, @{$h{l}}) ? "some" : "none" }')" none \
    "reads have no kernel time"
is "$(grep -c 'over HTTP/2' two.tape)" 1 "as the fidelity record says"
to one "https://127.0.0.1:$Q" --cacert server.pem --http2 --cert client.pem \
    --key client.key
is "$code $(tokens one.tape) $(values one.tape http)" "0 4 -:4" \
    "a server that has 1.1 only"
to fresh "https://127.0.0.1:$P" --cacert server.pem --http2 --concurrency 4 \
    --connections never
is "$code $(tokens fresh.tape) $(values fresh.tape reused)" "0 4 0:4" \
    "--connections never holds for HTTP/2"

# Every wait has its bound there, too; one that ends leaves the others alone.
bounded()
{
	to bound "https://127.0.0.1:$P/$1" --cacert server.pem --http2 \
	    --concurrency 4 "$2" 500ms
	is "$(values bound.tape error.cause | tr ' ' '\n' | grep -v pred)" "$3:3" \
	    "$2 holds over HTTP/2"
}
bounded hang --first-byte-timeout first-byte
bounded drop --idle-timeout idle
bounded drop --timeout total
to mixed "https://127.0.0.1:$P/drop" --url "https://127.0.0.1:$P" \
    --cacert server.pem --http2 --concurrency 4 --idle-timeout 500ms
is "$(tokens mixed.tape)" 1 "and the others go on"
perl -e 'require "$ARGV[0]/tests/support/listen.pl"; my $s = listen_free(8);
    tell_port($s, "mute.port"); sleep 60' "$root" &
pids="$pids $!"
wait_for mute.port
to mute "https://127.0.0.1:$(cat mute.port)" --http2 --connect-timeout 500ms
is "$code $(values mute.tape error.cause)" \
    "4 connect-timeout:3 predecessor:1" "a handshake has one, too"

# A server that closes connections under its clients.
replay worn --url "https://127.0.0.1:$P" --cacert server.pem --http2 --model m \
    --warmup 0 --concurrency 8 --loop --requests 200 --retry 5 --abort-after 0 \
    four.trace
is "$code $(tokens worn.tape)" "0 200" "requests that it drops can be sent again"

# Certificates of this side.
to mine "https://127.0.0.1:$Q" --cacert server.pem --cert client.pem \
    --key client.key
is "$code $(tokens mine.tape)" "0 4" "--cert and --key"
printf 'open-sesame\n' >pass
to locked "https://127.0.0.1:$Q" --cacert server.pem --cert client.pem \
    --key locked.key --key-pass-file pass
is "$code $(tokens locked.tape)" "0 4" "--key-pass-file"
cat client.pem client.key >both.pem
PASS=open-sesame to both "https://127.0.0.1:$Q" --cacert server.pem \
    --cert both.pem --key-pass-env PASS
is "$code $(tokens both.tape)" "0 4" "a key in the certificate's file"
is "$(cat ./*.tape ./*.err | grep -c open-sesame)" 0 \
    "the passphrase is nowhere"
to shut "https://127.0.0.1:$Q" --cacert server.pem --cert client.pem \
    --key locked.key </dev/null
is "$code $(values shut.tape error.cause)" "4 client-certificate:3 predecessor:1" \
    "a key that is locked asks nobody"
to none "https://127.0.0.1:$Q" --cacert server.pem
is "$code $(values none.tape status)" "1 -:1 400:3" "a server that wants one"
mkdir hashed && cp server.pem hashed/ && openssl rehash hashed 2>/dev/null
to hashed "https://127.0.0.1:$P" --capath hashed
is "$code $(tokens hashed.tape)" "0 4" "--capath"

# Any certificate of theirs.
to any "https://127.0.0.1:$P" --insecure
is "$code $(tokens any.tape)" "0 4" "--insecure"
is "$(grep -c -e '--insecure: no certificate' any.err)" 1 "is said, also with -q"
is "$(grep -c '"insecure":true' any.tape)" 2 "is in the run's records"
sse-timestamp -q -z 0 <any.tape | metrics-reduce -q --format table 2>/dev/null >any.txt
is "$(sed -n '/^!/{p;q;}' any.txt | grep -c 'certificates were not checked')" 1 \
    "and above the numbers"
is "$(grep -c insecure two.tape)" 0 "others do not have it"

# Cookies are neither sent back nor kept, but those of a file are sent.
for way in '' --libcurl; do
	# shellcheck disable=SC2086
	to jar "127.0.0.1:$R/jar" $way
	is "$code $(tokens jar.tape) $(grep -ci 'jar=full' jar.tape)" "0 4 0" \
	    "no cookie comes back${way:+, $way}"
done
echo 'Cookie: own=1' >own.cookie
to own "127.0.0.1:$R/jar" --header-file own.cookie --max-failed 4
is "$(values own.tape status)" "-:1 418:3" "one of a file does"

# A Unix socket.
to socket http://model.test --unix-socket socket
is "$code $(tokens socket.tape)" "0 4" "--unix-socket"
is "$(values socket.tape reused)" "0:1 1:3" "keeps its connection"
is "$(grep -c 'over a Unix socket' socket.tape)" 1 "has no kernel times"
to ready http://model.test --unix-socket socket --wait-ready
is "$code $(tokens ready.tape)" "0 4" "can be waited for"
to nobody http://model.test --unix-socket no-such
is "$code $(values nobody.tape error.cause)" "4 predecessor:1 refused:3" \
    "one without a server"
to sessions http://model.test --unix-socket socket --connections session
is "$code $(tokens sessions.tape)" "0 4" "with a connection for each session"

# Redirects.
to old "127.0.0.1:$R/old" --header 'X-Id: old'
is "$code $(values old.tape error.cause) $(values old.tape status)" \
    "1 predecessor:1 redirect:3 -:1 302:3" "a redirect is an error"
is "$(grep -c "redirect to http://127.0.0.1:$R/v1/chat/completions (--loc" \
    old.err)" 1 "which names the place"
is "$(grep -c s3cret old.err)" 0 "without its query"
is "$(sse-timestamp -q -z 0 <old.tape | grep -c '"cause":"redirect"')" 3 \
    "and stays one"
to new "127.0.0.1:$R/old" --location
is "$code $(tokens new.tape) $(values new.tape redirects)" "0 4 1:4" \
    "--location follows it"
is "$(grep -c "$R HTTP/1.1 POST /v1/chat/completions?key=s3cret 200" front.log)" \
    4 "with the method"
to away "127.0.0.1:$R/away" --location
is "$code $(values away.tape error.cause) $(grep -c 'another server' away.err)" \
    "1 predecessor:1 redirect:3 1" "but to no other server"

# Proxies, but not for all.
: >front.log
to proxied "$at" --proxy "127.0.0.1:$T"
is "$code $(tokens proxied.tape) $(grep -c "^$T .*POST" front.log)" "0 4 4" \
    "--proxy"
: >front.log
to direct "$at" --proxy "127.0.0.1:$T" --no-proxy "other.test,127.0.0.1"
is "$code $(tokens direct.tape) $(wc -l <front.log)" "0 4 0" "--no-proxy"

# Compression is kept as it comes.
to packed "127.0.0.1:$S" --accept-encoding gzip
is "$code $(values packed.tape body)" "0 -:4" "--accept-encoding"
is "$(grep -ci '"content-encoding","gzip"' packed.tape)" 4 "is answered"
to plain "127.0.0.1:$S"
is "$code $(tokens plain.tape)" "0 4" "identity is asked for otherwise"

# Lines of one request.
: >front.log
to own "127.0.0.1:$R" --session-header X-Session --request-id-header X-Id
is "$code $(tokens own.tape)" "0 4" "--session-header and --request-id-header"
is "$(awk '/POST/ { print $6 }' front.log | sort | tr '\n' ' ')" \
    '"-" "b" "conv%20a" "conv%20a" ' "sessions are sent"
awk '/POST/ { gsub(/"/, "", $7); print $7 }' front.log | sort >sent
each own.tape 'print "$r->{req}{request_id}\n" if $r->{kind} eq "exchange"' |
    sort >kept
is "$(sort -u sent | wc -l) $(grep -c . kept)" "4 4" "each has an id"
cmp -s sent kept
ok $? "which the records have"
: >front.log
to tls "https://127.0.0.1:$P" --cacert server.pem --session-header X-Session \
    --http2 --concurrency 4
is "$(awk '/POST/ { print $6 }' front.log | sort | tr '\n' ' ')" \
    '"-" "b" "conv%20a" "conv%20a" ' "through libcurl, too"

# Ready, in all three ways, for each dialect.
for api in chat completions; do
	for way in '' =/health =/v1/models; do
		to "ready" "https://127.0.0.1:$P" --cacert server.pem --http2 \
		    --api $api "--wait-ready$way" --wait-timeout 20s
		is "$code $(tokens ready.tape)" "0 4" \
		    "--wait-ready$way with $api over HTTP/2"
	done
done
name=tgi
replay tgi --url "127.0.0.1:$T" --api huggingface_generate --no-stream \
    --warmup 0 --wait-ready --wait-timeout 2s four.trace
is "$code $(values tgi.tape status)" "0 200:4" "a server without a list of models"
sed 's/"output_tokens":3/"params":{"passages":["a","b"]}/' four.trace >rank.trace
replay rank --url "127.0.0.1:$T" --api hf_tei_rankings --no-stream --model m \
    --wait-ready rank.trace
is "$code $(grep -c 'give --wait-ready=PATH' rank.err)" "2 1" \
    "an API that has nothing short to ask"
stop
done_testing
