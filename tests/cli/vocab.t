#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The vocabulary is what its README says, and the frozen sample fits it.
# LLMTAPE_TOKENIZERS=DIR, a node_modules with the packages of
# traces/vocab/package.json, also counts all tokens again.

modules=${LLMTAPE_TOKENIZERS:+$(readlink -f "$LLMTAPE_TOKENIZERS")}
cd "$(dirname "$0")/../../traces/vocab" || exit 1
LC_ALL=C
export LC_ALL
n=0
failed=0

# ok STATUS NAME: one TAP line.
ok()
{
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		failed=1
	fi
}

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

echo 1..9
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
	echo "ok 9 - $name # SKIP LLMTAPE_TOKENIZERS is not set"
elif ! command -v node >/dev/null; then
	echo "ok 9 - $name # SKIP no node"
elif [ ! -d "$modules/@lenml/tokenizers" ]; then
	echo "ok 9 - $name # SKIP no tokenizers in LLMTAPE_TOKENIZERS"
else
	node derive.mjs --check "$modules" >&2
	ok $? "$name"
fi
exit $failed
