#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each is refused before anything is sent, with its place.
url=127.0.0.1:9
for f in "$FIXTURES"/bad/*.jsonl "$FIXTURES"/bad/*.zst; do
	trace-replay --url $url "$f" 2>&1 >out | sed "s|[^ ]*/bad/||"
	trace-replay -q --url $url "$f" >out 2>err
	[ $? -eq 3 ] || echo "${f##*/}: not 3"
	[ -s out ] && echo "${f##*/}: output"
done
echo '== what is wrong with requests'
head='{"kind":"header","format":"llmtape.trace","version":"1.0",'
head="$head\"epoch\":\"2026-03-01T12:00:00.000000000Z\","
head="$head\"epoch_mono\":\"1.000000000\",\"run_id\":\"r\",\"prov\":[]}"
try()
{
	{
		echo "$head"
		printf '%s\n' "$@"
		echo "{\"kind\":\"end\",\"records\":$#,\"status\":\"complete\"}"
	} >t
	trace-replay --model m --url $url t 2>err >out
	code=$?
	cat err
	echo "exit $code"
}
a='{"kind":"request","id":"a",'
b='{"kind":"request","id":"b",'
in='"input":{"text":"x"}}'
try
try "$a$in" "$a$in"
try "$a\"input\":{\"text\":\"x\",\"body\":\"{}\"}}"
try "$a\"t_ns\":5,$in" "$b\"t_ns\":4,$in"
try "$a\"session\":\"s\",\"after\":[\"b\"],$in"
try "$a\"input\":{\"tokens\":[1,2]}}"
try "$a\"input\":{\"blocks\":{\"vocab\":\"v\",\"seed\":1,\"size\":4,\"ids\":[1],\"tokens\":4}}}"
try "$a\"params\":{\"n\":1},\"output_tokens\":0,$in"
