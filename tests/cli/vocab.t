#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The vocabulary is what its README says, and the frozen sample fits it.
# LLMTAPE_TOKENIZERS=DIR, a node_modules with the packages of
# traces/vocab/package.json, also counts all tokens again.

modules=${LLMTAPE_TOKENIZERS:+$(readlink -f "$LLMTAPE_TOKENIZERS")}
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
cd "$root/traces/vocab" || exit 1

# sum_holds FILE: its sha256 is the one in the README.
sum_holds()
{
	want=$(sed -n "s/^    \([0-9a-f]\{64\}\)  $1\$/\1/p" README.md)
	got=$(sha256sum <"$1") && [ "$want" = "${got%% *}" ]
}

# words_only FILE: nothing but words, sorted, each once.
words_only()
{
	! grep -qvE '^[a-z]{2,}$' "$1" && sort -cu "$1"
}

# sample_holds: 50 rows; every count is the number of words; the first word
# may be first and all are in the vocabulary.  What fails is printed.
sample_holds()
{
	awk -F '\t' '
	FILENAME == "en1.txt" { all[$0]; next }
	FILENAME == "en1-first.txt" { first[$0]; next }
	FNR == 1 { next }
	{
		rows++
		words = split($1, word, " ")
		bad = NF != 6 || words < 10 || words > 60 ||
		    !(word[1] in first)
		for (i = 1; i <= words; i++)
			bad += !(word[i] in all)
		for (i = 2; i <= NF; i++)
			bad += $i != words ""
		if (bad) {
			print "# sample-counts.tsv line " FNR
			failed = 1
		}
	}
	END { exit failed || rows != 50 }
	' en1.txt en1-first.txt sample-counts.tsv
}

for f in en1.txt en1-first.txt sample-counts.tsv; do
	sum_holds $f
	ok $? "sha256 of $f"
done
for f in en1.txt en1-first.txt; do
	words_only $f
	ok $? "$f: words only, sorted, each once"
done
[ "$(wc -l <en1.txt)" -ge 1000 ]
ok $? 'at least 1,000 words'
[ -s en1-first.txt ] && [ -z "$(comm -13 en1.txt en1-first.txt)" ]
ok $? 'the first words are a subset'
sample_holds
ok $? 'the sample: tokens are words, words are of the vocabulary'

name='tokens counted again'
if [ -z "${LLMTAPE_TOKENIZERS:-}" ]; then
	skip 1 'LLMTAPE_TOKENIZERS is not set' "$name"
elif ! command -v node >/dev/null; then
	skip 1 'no node' "$name"
elif [ ! -d "$modules/@lenml/tokenizers" ]; then
	skip 1 'no tokenizers in LLMTAPE_TOKENIZERS' "$name"
else
	node derive.mjs --check "$modules" >&2
	ok $? "$name"
fi
done_testing
