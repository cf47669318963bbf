#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A table of what is refused before anything is read: options, code, message.
trace-gen --isl 4 --osl 4 --count 3 -o t
printf 'no colon\n' >lines
printf 'Authorization: Bearer open-sesame\n' >key
try()
{
	trace-replay "$@" t >out 2>err
	code=$?
	[ -s out ] && echo "something on standard output"
	echo "$code: $*"
	sed 's/^/   /' err
}
try
try --url h --arm A=h
try --url ftp://h
try --url http://user:open-sesame@
try --url 'http://h/#x'
try --arm h
try --arm A=h --arm B=g --round 3
try --url h --round 3 --rounds 2
try --url h --api smtp
try --url h --unknown
try --url h --concurrency 0
try --url h --duration 5
try --url h --max-failed x
try --url h --max-failed 101%
try --url h --salt maybe
try --url h --order sideways
try --url h --header 'Authorization: Bearer open-sesame'
try --url h --header 'X-Api-Key: open-sesame'
try --url h --header 'no colon'
try --url h --header 'Host: g'
try --url h --header-file lines
try --url h --header-file /no/such
try --url h --api-key-env NO_SUCH_VARIABLE
try --url h --api-key-env HOME --api-key-file key
try --url h --api-key-file /no/such
try --url h --extra '{"a":1,"a":2}'
try --url h --extra '[1]'
try --url h --extra '{} {}'
try --url h --extra @/no/such
try --url h --meta novalue
try --url h --label novalue
try --url h --wait-timeout 5s
try --url h --requests 4
try --url h --cacert /no/such --model m
