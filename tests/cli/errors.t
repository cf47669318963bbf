#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What every tool says and with which code it exits when something is wrong with
# its input, its output or its options.  One row a case:
#
#	tool | operands and options | standard output | exit code | message
#
# The message is all of standard error, without "tool: "; lines of it are
# separated by " // ", and "..." is any text.  Standard output is a file unless
# the row says full (/dev/full), closed, or left (a pipe whose reader is gone).
# A row with exit code 2 also holds that nothing is written.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
v1=$root/tests/fixtures/v1
scratch
cd "$tmp" || exit 1

# The inputs: of each format one that is good, and what can be wrong with it.
for f in trace wire events metrics report; do
	cp "$v1/$f.jsonl" $f
	cp "$v1/$f.zst" $f.zst
	sed '$d' $f >$f.cut
	head -c $(($(wc -c <$f) - 20)) $f >$f.line
	head -c $(($(wc -c <$f.zst) / 2)) $f.zst >$f.frame
	head -c 20 $f.zst >$f.start
	sed '1s/"version":"1.0"/"version":"2.0"/' $f >$f.newer
	sed '$s/"status":"[a-z]*"/"status":"failed"/' $f >$f.failed
	sed '$s/"records":[0-9]*/"records":99/' $f >$f.count
	sed '2s/$/,/' $f >$f.comma
	sed '1q' $f >$f.header
	sed -n '1p; $s/"records":[0-9]*/"records":0/p' $f >$f.none
done
sed 's/"t_ns":2000000000/"t_ns":2.5/' trace >trace.number
sed 's/"run":1,"id":"r2"/"run":"1","id":"r2"/' wire >wire.number
sed 's/"body_bytes":194/"body_bytes":1e400/' events >events.number
sed 's/"metric":"ttft","unit":"ns","better":"lower","from":"start","n":1/&.5/' \
    metrics >metrics.number
sed 's/"id":"r4"/"id":"r1"/' trace >trace.twice
: >empty
echo 'Hello, world' >text
echo '<!DOCTYPE html>' >page
echo '{"id":1}' >json
echo '{"text_input":"a","output_length":"b"}' >prompts.number
echo '{"text_input":"a"}' >prompts
mkdir folder

cat >table <<'END'
# trace-gen: foreign files come in, a trace goes out.
trace-gen | | | 2 | one of --from, --isl, --to is needed; try 'trace-gen --help'
trace-gen | --nonsense | | 2 | unknown option --nonsense; try 'trace-gen --help'
trace-gen | --isl 5 --osl five --count 1 | | 2 | --osl: 'five' is not a number; try 'trace-gen --help'
trace-gen | --from wire wire | | 2 | --from: 'wire' is not one of prompts, mooncake, azure, burstgpt; try 'trace-gen --help'
trace-gen | --from prompts empty | | 3 | empty: no request in it
trace-gen | --from azure empty | | 3 | empty: empty input
trace-gen | --from prompts text | | 3 | text:1: bad JSON at byte 0: not a value
trace-gen | --from azure text | | 3 | text:1: head line lacks "TIMESTAMP"
trace-gen | --from mooncake page | | 3 | page:1: this is a web page, not a trace: fetch the raw file
trace-gen | --from mooncake json | | 3 | json:1: row lacks "input_length"
trace-gen | --from prompts prompts.number | | 3 | prompts.number:1: "output_length" is not a number of tokens
trace-gen | --from prompts trace | | 3 | trace:1: row needs one of "text_input" and "messages"
trace-gen | --from prompts trace.frame | | 3 | trace.frame:1: row needs one of "text_input" and "messages"
trace-gen | --from prompts trace.start | | 3 | trace.start:1: compressed data stops inside a frame
trace-gen | --from prompts missing | | 4 | cannot open 'missing': No such file or directory
trace-gen | --from prompts folder | | 4 | cannot open 'folder': Is a directory
trace-gen | --from prompts prompts -o folder/none/out | | 4 | cannot create 'folder/none/out': No such file or directory
trace-gen | --from prompts prompts -o folder | | 4 | cannot create 'folder': Is a directory
trace-gen | --from prompts prompts | full | 4 | standard output: cannot write: No space left on device
trace-gen | --from prompts prompts | closed | 4 | standard output: cannot write: Bad file descriptor
trace-gen | --from prompts prompts | left | 141 |
trace-gen | --help | full | 4 | cannot write: No space left on device
trace-gen | --help | closed | 4 | cannot write: Bad file descriptor

# trace-replay: a trace comes in; what servers do to it is in trace-replay.t.
trace-replay | trace | | 2 | one of --url, --arm, --preflight is needed; try 'trace-replay --help'
trace-replay | --nonsense | | 2 | unknown option --nonsense; try 'trace-replay --help'
trace-replay | --url ftp://h --dry-run trace | | 2 | ...; try 'trace-replay --help'
trace-replay | --url h --requests many trace | | 2 | --requests: 'many' is not a whole number; try 'trace-replay --help'
trace-replay | --url h --dry-run empty | | 3 | empty: empty input
trace-replay | --url h --dry-run text | | 3 | text:1: not a llmtape stream: "Hello, world" where a header should be
trace-replay | --url h --dry-run json | | 3 | json:1: not a llmtape stream: "{"id":1}" where a header should be
trace-replay | --url h --dry-run wire | | 3 | wire:1: this is a llmtape.wire stream, not the llmtape.trace stream that trace-gen makes
trace-replay | --url h --dry-run report.zst | | 3 | report.zst:1: this is a llmtape.report stream, not the llmtape.trace stream that trace-gen makes
trace-replay | --url h --dry-run trace.newer | | 3 | trace.newer:1: stream has version 2.0; this build reads 1.x
trace-replay | --url h --dry-run trace.number | | 3 | trace.number:4: "t_ns" is not of type integer
trace-replay | --url h --dry-run trace.comma | | 3 | trace.comma:2: bad JSON at byte ...: more after the value
trace-replay | --url h --dry-run trace.twice | | 3 | trace.twice:6: id 'r1' is there twice
trace-replay | --url h --dry-run trace.none | | 3 | trace.none: no request in the trace
trace-replay | --url h --dry-run trace.cut | | 3 | trace.cut:7: input stops before its end record
trace-replay | --url h --dry-run trace.line | | 3 | trace.line:8: input stops before its end record
trace-replay | --url h --dry-run trace.count | | 3 | trace.count:8: end record counts 99 records, but 6 were read
trace-replay | --url h --dry-run trace.frame | | 3 | trace.frame:...: compressed data stops inside a frame
trace-replay | --url h --dry-run trace.start | | 3 | trace.start:1: compressed data stops inside a frame
trace-replay | --url h --dry-run missing | | 4 | cannot open 'missing': No such file or directory
trace-replay | --url h --dry-run folder | | 4 | cannot open 'folder': Is a directory

# sse-timestamp: wire comes in, or an event stream of anybody's.
sse-timestamp | --nonsense | | 2 | unknown option --nonsense; try 'sse-timestamp --help'
sse-timestamp | --format csv wire | | 2 | --format: 'csv' is not one of ...; try 'sse-timestamp --help'
sse-timestamp | -z ten wire | | 2 | --compress: 'ten' is not a whole number; try 'sse-timestamp --help'
sse-timestamp | empty | | 3 | empty: empty input
sse-timestamp | text | | 3 | text: neither an llmtape stream nor an event stream: "Hello, world?"
sse-timestamp | json | | 3 | json: neither an llmtape stream nor an event stream: "{"id":1}?"
sse-timestamp | trace | | 3 | trace:1: this is a llmtape.trace stream; pipe it through trace-replay first
sse-timestamp | events | | 3 | events:1: this is a llmtape.events stream, not the llmtape.wire stream that trace-replay makes: it is decoded already
sse-timestamp | wire.newer | | 3 | wire.newer:1: stream has version 2.0; this build reads 1.x
sse-timestamp | wire.number | | 3 | wire.number:7: "run" is not of type integer
sse-timestamp | wire.comma | | 3 | wire.comma:2: bad JSON at byte ...: more after the value
sse-timestamp | wire.cut | | 3 | wire.cut:10: input stops before its end record
sse-timestamp | wire.line | | 3 | wire.line:11: input stops before its end record
sse-timestamp | wire.header | | 3 | wire.header:1: input stops before its end record
sse-timestamp | wire.count | | 3 | wire.count:11: end record counts 99 records, but 9 were read
sse-timestamp | wire.frame | | 3 | wire.frame:...: compressed data stops inside a frame
sse-timestamp | wire.start | | 3 | wire.start:1: compressed data stops inside a frame
sse-timestamp | wire.failed | | 3 | wire.failed:11: what made this stream failed before its end // the input is not whole: --allow-truncated makes this a warning
sse-timestamp | --allow-truncated wire.failed | | 0 | wire.failed:11: what made this stream failed before its end
sse-timestamp | --allow-truncated wire.cut | | 0 | wire.cut:10: input stops before its end record
sse-timestamp | --allow-truncated wire.start | | 3 | wire.start:1: compressed data stops inside a frame
sse-timestamp | wire | | 0 | wire:11: the run was interrupted: this is not the whole of it
sse-timestamp | -q wire | | 0 |
sse-timestamp | wire wire.cut | | 3 | wire:11: the run was interrupted: this is not the whole of it // wire.cut:10: input stops before its end record
sse-timestamp | wire missing | | 4 | cannot open 'missing': No such file or directory
sse-timestamp | folder | | 4 | cannot open 'folder': Is a directory
sse-timestamp | -o folder/none/out wire | | 4 | cannot create 'folder/none/out': No such file or directory
sse-timestamp | -q wire | full | 4 | standard output: cannot write: No space left on device
sse-timestamp | -q wire | closed | 4 | standard output: cannot write: Bad file descriptor
sse-timestamp | -q wire | left | 141 |
sse-timestamp | --version | full | 4 | cannot write: No space left on device

# metrics-reduce: events come in.
metrics-reduce | --nonsense | | 2 | unknown option --nonsense; try 'metrics-reduce --help'
metrics-reduce | --slo ttft=soon events | | 2 | --slo: ...; try 'metrics-reduce --help'
metrics-reduce | --format wire events | | 2 | --format: 'wire' is not one of ...; try 'metrics-reduce --help'
metrics-reduce | empty | | 3 | empty: empty input
metrics-reduce | text | | 3 | text:1: not a llmtape stream: "Hello, world" where a header should be
metrics-reduce | json | | 3 | json:1: not a llmtape stream: "{"id":1}" where a header should be
metrics-reduce | trace | | 3 | trace:1: this is a llmtape.trace stream; pipe it through trace-replay | sse-timestamp first
metrics-reduce | wire.zst | | 3 | wire.zst:1: this is a llmtape.wire stream; pipe it through sse-timestamp first
metrics-reduce | metrics | | 3 | metrics:1: this is a llmtape.metrics stream, not the llmtape.events stream that sse-timestamp makes
metrics-reduce | events.newer | | 3 | events.newer:1: stream has version 2.0; this build reads 1.x
metrics-reduce | events.number | | 3 | events.number:5: bad JSON at byte ...: number too large
metrics-reduce | events.comma | | 3 | events.comma:2: bad JSON at byte ...: more after the value
metrics-reduce | events.cut | | 3 | events.cut:9: input stops before its end record
metrics-reduce | events.line | | 3 | events.line:10: input stops before its end record
metrics-reduce | events.header | | 3 | events.header:1: input stops before its end record
metrics-reduce | events.count | | 3 | events.count:10: end record counts 99 records, but 8 were read
metrics-reduce | events.frame | | 3 | events.frame:...: compressed data stops inside a frame
metrics-reduce | events.start | | 3 | events.start:1: compressed data stops inside a frame
metrics-reduce | events.failed | | 3 | events.failed:10: what made this stream failed before its end // the input is not whole: --allow-truncated makes this a warning
metrics-reduce | --allow-truncated events.failed | | 0 | events.failed:10: what made this stream failed before its end
metrics-reduce | --allow-truncated events.cut | | 0 | events.cut:9: input stops before its end record
metrics-reduce | events | | 0 | events:10: the run was interrupted: this is not the whole of it
metrics-reduce | missing | | 4 | cannot open 'missing': No such file or directory
metrics-reduce | folder | | 4 | cannot open 'folder': Is a directory
metrics-reduce | -o folder/none/out events | | 4 | cannot create 'folder/none/out': No such file or directory
metrics-reduce | -q events | full | 4 | standard output: cannot write: No space left on device
metrics-reduce | -q events | closed | 4 | standard output: cannot write: Bad file descriptor
metrics-reduce | -q events | left | 141 |
metrics-reduce | -q --format table events | full | 4 | standard output: cannot write: No space left on device
metrics-reduce | -q --format json events | closed | 4 | standard output: cannot write: Bad file descriptor
metrics-reduce | -q --format csv events | left | 141 |

# ab-compare: metrics come in.
ab-compare | --nonsense | | 2 | unknown option --nonsense; try 'ab-compare --help'
ab-compare | --alpha lots metrics | | 2 | --alpha: ...; try 'ab-compare --help'
ab-compare | --a metrics | | 2 | ...; try 'ab-compare --help'
ab-compare | empty | | 3 | empty: empty input
ab-compare | text | | 3 | text:1: not a llmtape stream: "Hello, world" where a header should be
ab-compare | --a metrics --b json | | 3 | metrics:9: the run was interrupted: this is not the whole of it // json:1: not a llmtape stream: "{"id":1}" where a header should be
ab-compare | trace | | 3 | trace:1: this is a llmtape.trace stream; pipe it through trace-replay | sse-timestamp | metrics-reduce first
ab-compare | events.zst | | 3 | events.zst:1: this is a llmtape.events stream; pipe it through metrics-reduce first
ab-compare | report | | 3 | report:1: this is a llmtape.report stream, not the llmtape.metrics stream that metrics-reduce makes
ab-compare | metrics.newer | | 3 | metrics.newer:1: stream has version 2.0; this build reads 1.x
ab-compare | metrics.number | | 3 | metrics.number:5: "n" is not of type integer
ab-compare | metrics.comma | | 3 | metrics.comma:2: bad JSON at byte ...: more after the value
ab-compare | metrics.cut | | 3 | metrics.cut:8: input stops before its end record
ab-compare | metrics.line | | 3 | metrics.line:9: input stops before its end record
ab-compare | metrics.count | | 3 | metrics.count:9: end record counts 99 records, but 7 were read
ab-compare | metrics.frame | | 3 | metrics.frame:...: compressed data stops inside a frame
ab-compare | metrics.start | | 3 | metrics.start:1: compressed data stops inside a frame
ab-compare | missing | | 4 | cannot open 'missing': No such file or directory
ab-compare | folder | | 4 | cannot open 'folder': Is a directory
ab-compare | --help | full | 4 | cannot write: No space left on device

# trace-view: any stream comes in.
trace-view | --nonsense | | 2 | unknown option --nonsense; try 'trace-view --help'
trace-view | --id a --x 1.5 wire | | 2 | --x: '1.5' is not a whole number; try 'trace-view --help'
trace-view | empty | | 3 | empty: empty input
trace-view | text | | 3 | text:1: not a llmtape stream: "Hello, world" where a header should be
trace-view | wire.newer | | 3 | wire.newer:1: stream has version 2.0; this build reads 1.x
trace-view | wire.number | | 3 | wire.number:7: "run" is not of type integer
trace-view | trace.comma | | 3 | trace.comma:2: bad JSON at byte ...: more after the value
trace-view | report.cut | | 3 | report.cut:3: input stops before its end record
trace-view | wire.line | | 3 | wire.line:11: input stops before its end record
trace-view | metrics.count | | 3 | metrics.count:9: end record counts 99 records, but 7 were read
trace-view | events.frame | | 3 | events.frame:...: compressed data stops inside a frame
trace-view | events.start | | 3 | events.start:1: compressed data stops inside a frame
trace-view | events.failed | | 3 | events.failed:10: what made this stream failed before its end
trace-view | --allow-truncated events.failed | | 0 | events.failed:10: what made this stream failed before its end
trace-view | --allow-truncated wire.cut | | 0 | wire.cut:10: input stops before its end record
trace-view | --allow-truncated wire.comma | | 3 | wire.comma:2: bad JSON at byte ...: more after the value
trace-view | wire trace events | | 0 |
trace-view | wire wire.cut | | 3 | wire.cut:10: input stops before its end record
trace-view | missing | | 4 | cannot open 'missing': No such file or directory
trace-view | folder | | 4 | cannot open 'folder': Is a directory
trace-view | wire -o folder/none/out | | 4 | cannot create 'folder/none/out': No such file or directory
trace-view | wire | full | 4 | standard output: cannot write: No space left on device
trace-view | --json wire | closed | 4 | standard output: cannot write: Bad file descriptor
trace-view | wire | left | 141 |
trace-view | --id r1 empty | | 3 | empty: empty input
trace-view | --id r1 trace.zst | | 3 | trace.zst:1: this is a llmtape.trace stream; pipe it through trace-replay first
trace-view | --id r1 metrics | | 3 | metrics:1: this is a llmtape.metrics stream, not the ...
trace-view | --id r1 wire.newer | | 3 | wire.newer:1: stream has version 2.0; this build reads 1.x
trace-view | --id r9 wire | | 1 | there is no exchange with id r9
trace-view | --id r9 wire.cut | | 3 | wire.cut:10: input stops before its end record // there is no exchange with id r9
trace-view | --id r1 wire.cut | | 3 | wire.cut:10: input stops before its end record
trace-view | --allow-truncated --id r1 wire.cut | | 0 | wire.cut:10: input stops before its end record
trace-view | --id r1 wire.failed | | 3 | wire.failed:11: what made this stream failed before its end
trace-view | --id r1 wire events | | 0 |
trace-view | --id r1 missing | | 4 | cannot open 'missing': No such file or directory
trace-view | --id r1 --timeline wire | full | 4 | standard output: cannot write: No space left on device
trace-view | --id r1 --timeline wire | left | 141 |

# trace-serve: nothing comes in.
trace-serve | --nonsense | | 2 | unknown option --nonsense; try 'trace-serve --help'
trace-serve | --ttft soon | | 2 | --ttft: ...; try 'trace-serve --help'
trace-serve | --listen nowhere:1:2 | | 2 | ...; try 'trace-serve --help'
trace-serve | --help | closed | 4 | cannot write: Bad file descriptor
END

# fits WANT GOT: the same, "..." being any text.
fits()
{
	awk -v want="$1" -v got="$2" 'BEGIN {
		n = split(want, part, /[.][.][.]/)
		if (n < 2)
			exit want != got
		if (index(got, part[1]) != 1)
			exit 1
		got = substr(got, length(part[1]) + 1)
		for (i = 2; i <= n; i++) {
			at = index(got, part[i])
			if (at == 0)
				exit 1
			got = substr(got, at + length(part[i]))
		}
		exit got != "" && part[n] != ""
	}'
}

# run MODE TOOL ...: standard error in err, the code in code.
run()
{
	mode=$1
	shift
	case $mode in
	full) "$@" </dev/null >/dev/full 2>err ;;
	closed) "$@" </dev/null >&- 2>err ;;
	left)
		{
			sleep 0.1
			"$@" </dev/null 2>err
			echo $? >code
		} | :
		return
		;;
	*) "$@" </dev/null >out 2>err ;;
	esac
	echo $? >code
}

# why: of the case in hand.
why()
{
	printf '# exit %s, want %s\n# said %s\n# want %s\n' \
	    "$(cat code)" "$code" "$said" "$message"
}

while IFS='|' read -r tool words mode code message; do
	case $tool in
	'' | '#'*) continue ;;
	esac
	# A message may have the separator in it.
	tool=${tool% }
	mode=${mode# }
	mode=${mode% }
	code=${code# }
	code=${code% }
	message=${message# }
	: >out
	set -f
	# shellcheck disable=SC2086
	run "${mode:-file}" "$tool" $words
	set +f
	said=$(sed "s/^$tool: //" err | awk 'NR > 1 { printf " // " }
	    { printf "%s", $0 }')
	[ "$(cat code)" = "$code" ] && fits "$message" "$said" &&
	    { [ "$code" != 2 ] || [ ! -s out ]; } &&
	    ! grep -qv "^$tool: " err
	ok $? "$tool$words${mode:+>$mode}"
done <table

done_testing
