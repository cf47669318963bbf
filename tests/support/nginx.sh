# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# nginx.sh: Debian's nginx in front of a server, for tests.  To be sourced, behind
# tap.sh and replay.sh, whose stop ends it.
#
#	front CONFIG      nginx with these server blocks, in which @P@, @Q@, @R@, @S@
#	                  and @T@ are ports; they are also in $P to $T.  Its log of
#	                  requests is front.log: port, version, method, URI, status,
#	                  and the fields X-Session and X-Id.  Answers are passed on as
#	                  they come.
#	self_signed NAME [OPTION ...]   a certificate for 127.0.0.1 and localhost in
#	                  NAME.pem, its key in NAME.key; options are those of openssl
#	                  req
PATH=$PATH:/usr/sbin

front()
{
	tries=0
	P=$((11000 + $$ * 13 % 18000))
	while [ $tries -lt 20 ]; do
		Q=$((P + 1)) R=$((P + 2)) S=$((P + 3)) T=$((P + 4))
		{
			echo "daemon off; master_process off; pid $tmp/pid;"
			echo 'error_log stderr crit; events {} http {'
			echo "log_format f '\$server_port \$server_protocol" \
			    "\$request_method \$request_uri \$status" \
			    "\"\$http_x_session\" \"\$http_x_id\"';"
			echo "access_log $tmp/front.log f;"
			for d in client_body proxy fastcgi uwsgi scgi; do
				echo "${d}_temp_path $tmp/$d;"
			done
			echo 'proxy_http_version 1.1; proxy_buffering off;'
			echo "$1" | sed "s/@P@/$P/g; s/@Q@/$Q/g; s/@R@/$R/g
			    s/@S@/$S/g; s/@T@/$T/g"
			echo '}'
		} >nginx.conf
		nginx -p "$tmp" -c "$tmp/nginx.conf" -e stderr 2>nginx.err &
		front=$!
		sleep 0.3
		if kill -0 $front 2>/dev/null; then
			pids="$pids $front"
			return 0
		fi
		P=$((11000 + (P - 11000 + 977) % 18000))
		tries=$((tries + 1))
	done
	return 1
}

self_signed()
{
	cert_name=$1
	shift
	openssl req -x509 -newkey rsa:2048 -nodes -keyout "$cert_name.key" \
	    -out "$cert_name.pem" -days 2 -subj "/CN=$cert_name" \
	    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 "$@" 2>/dev/null
}
