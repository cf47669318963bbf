#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# tests/oracle/real.sh counts what real sessions found: its bound against R's
# qbeta(.95, found + 1, n - found), and its table of sessions that are given.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
scratch
# shellcheck disable=SC2154
cd "$tmp" || exit 1
real=$root/tests/oracle/real.sh

while read -r found total upper; do
	is "$(sh "$real" --bound "$found" "$total")" "$upper" \
	    "bound of $found of $total"
done <<'EOT'
0 200 0.015
11 200 0.089
1 30 0.149
12 200 0.095
3 3 1.000
EOT

line() {
	printf '%s\t' "$@" | sed 's/\t$//'
	echo
}

itl=decode/itl/matched-trim
mkdir given
{
	sh "$real" given 0 0 >/dev/null
	cat given/sessions.tsv
	line equal 1 undecided - - - 1 .99 1.01 1000 100 2.0
	line equal 2 loss "$itl,all/latency/mean" - - 1.02 1.01 1.03 1200 100 4.0
	line equal 3 win-unproven - all/latency/mean - 1 .99 1.01 1100 100 3.0
	line equal 4 refused - - - - - - 1100 100 3.0
	line slower 1 mixed "$itl" prefill/ttft/p99 - 1.05 1.04 1.06 1000 200 1.0
	line slower 2 possible-loss - - "$itl" 1.02 .99 1.04 1000 200 1.0
} >table.tsv
sh "$root/tests/oracle/real-table.sh" table.tsv >out
is $? 0 'a table of sessions that are given'
is "$(sed -n 3p out)" '| equal | 4 | 1 | 2 | 0.983 | 1 | 1 | 1 | 0 | 2 | 1.0066 | 11.0 s | 1.0 s | 3.0 (2.0 to 4.0) |' \
    'has the equal arms'
is "$(sed -n 4p out)" '| slower | 2 | 0 | 1 | - | 1 | 1 | 1 | 1 | 1 | 1.0349 | 10.0 s | 2.0 s | 1.0 (1.0 to 1.0) |' \
    'and those that differ'
is "$(sed -n 6p out)" "equal: lost: all/latency/mean 1, $itl 1; won: all/latency/mean 1" \
    'and which rows'

# A series goes on with what it lacks, here with nothing.
line equal 1 undecided - - - 1 .99 1.01 1000 100 2.0 >>given/sessions.tsv
sh "$real" given 1 0 >again
is "$? $(grep -c '^equal' given/sessions.tsv)" '0 1' 'nothing is played twice'
echo '# another plan' >given/sessions.tsv
for words in '' 'given 1 0' 'x 1 2 3' 'x many' '--bound 1' '--bound 2 1' \
    '--bound 0 0'; do
	# shellcheck disable=SC2086
	sh "$real" $words >/dev/null 2>err
	is "$? $(wc -l <err)" '2 1' "misuse: $words"
done
SHARE=2/2 sh "$real" other 0 0 2>err
is "$? $(wc -l <err)" '2 1' 'misuse: a third share of two'
done_testing
