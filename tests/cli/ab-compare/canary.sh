#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Two days, and a reference server that ran in both: labelled as what it is.
session() { awk "$@" -f "$FIXTURES/compare/session.awk"; }
gate()
{
	ab-compare --gate rules --canary ref --a yesterday --b today >out
	echo "exit $?"
	sed 1d out | sed '/^$/d'
}

cat >rules <<'END'
keep itl 2%
keep ttft 5%
bound itl-p50 < 12ms
END
session -v a=ref -v b=base -v itl=1.1 >yesterday
# The candidate is as much slower than the reference as the baseline was.
session -v a=ref -v b=cand -v itl=1.1 -v day=86400 -v seed=2 >today
gate
head -n 1 out
# It is 5 % slower than that.
session -v a=ref -v b=cand -v itl=1.155 -v day=86400 -v seed=2 >today
gate | grep '^exit\|^gate\| itl '
# One session is none.
session -v a=ref -v b=cand -v pairs=2 -v day=86400 >today
gate | grep -v '^all\|^prefill'
# It has to have done the same on both days.
session -v a=ref -v b=cand -v prompts=30 -v day=86400 >today
gate | grep '^exit\|^refused'
# Without the reference there is nothing to go through.
session -v a=other -v b=cand -v day=86400 >today
gate
ab-compare --canary ref --a yesterday --b today
echo $?
# As documents, which say that, too; a share without a failure has an interval.
session -v a=ref -v b=cand -v itl=1.155 -v day=86400 -v seed=2 >today
echo "keep failed 5%" >>rules
as() { ab-compare --no-host --gate rules --canary ref --format "$@" --a yesterday --b today; }
as json >doc
echo $?
jq -c ".prov[-1].from, (.comparisons[2] | del(.p)), (.verdict | .design.sessions[].runs |= length)" doc
as stream -z 0 | jq -c ".kind" | uniq -c | sed "s/^ *//"
as junit >junit.xml
sed "/<property name=.[acp]/d" junit.xml | sed -n "1,25p"
as markdown | sed -n "1,16p"
as benchstat
echo $?
# A swap of the sessions inverts the ratio.
session -v a=ref -v b=cand -v itl=1.155 -v day=86400 -v seed=2 >today
for pair in 'yesterday today' 'today yesterday'; do
	# shellcheck disable=SC2086
	set -- $pair
	ab-compare --gate rules --canary ref --a "$1" --b "$2" | grep '^decode   itl'
done
