#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# JUnit's XML: a case a row, a loss is a failure, what was not shown is skipped.
session="$FIXTURES/compare/session.awk"

# Well-formed by a real parser where there is one, else in its nesting.
check()
{
	if command -v xmllint >/dev/null; then
		xmllint --noout "$1" && echo well-formed
	else
		perl -0777 -ne 's/<\?.*?\?>//;
		    while (m{<(/?)(\w+)((?: [\w]+="[^"<&>]*(?:&\w+;[^"<&>]*)*")*)(/?)>}g) {
			if ($1) { die "$2" unless pop @s eq $2 }
			elsif (!$4) { push @s, $2 } }
		    s/<[^<>]*>//g;
		    die "rest" if @s || /<|>|&(?!(lt|gt|amp|quot);)/;
		    print "well-formed\n"' "$1"
	fi
}

awk -v itl=1.05 -v ttft=0.9 -v b='<"&' -f "$session" | sed 's/<"&/<\\"\&/g' |
    ab-compare --format junit -o out
echo $?
check out
cat out
# Nothing was shown, so nothing passes.
awk -f "$session" | ab-compare --format junit >out
echo $?
check out
grep -c '<skipped' out
grep '<testsuite ' out
# What is refused is an error.
awk -v pairs=2 -f "$session" | ab-compare --format junit >out
echo $?
check out
grep -B 1 '<error' out
grep '<testsuite ' out
