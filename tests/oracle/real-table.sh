#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The table of the sessions that real.sh has played, also of a series that is
# not complete.
#
# usage: real-table.sh SESSIONS.TSV
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
if [ $# -ne 1 ] || [ ! -r "$1" ]; then
	echo "real-table: a file of real.sh is needed" >&2
	exit 2
fi

# tally KIND: sessions, refused, of those judged any found, lost, won, decode
# lost, decode possibly lost, truth within the interval of itl; then mean B/A,
# seconds, seconds of CPU, loads.
tally() {
	awk -F'\t' -v kind="$1" -v truth="$2" '
	$1 != kind { next }
	{ n++; wall += $10; cpu += $11 }
	$12 != "-" {
		if (least == "" || $12 + 0 < least) least = $12 + 0
		if ($12 + 0 > most) most = $12 + 0
		load += $12; loads++
	}
	$3 == "refused" { refused++; next }
	{ judged++; ratio += log($7) }
	$4 != "-" || $5 != "-" { any++ }
	$4 != "-" { lost++ }
	$5 != "-" { won++ }
	$4 ~ /decode\/itl/ { itl++ }
	$4 !~ /decode\/itl/ && $6 ~ /decode\/itl/ { possible++ }
	$8 <= truth && truth <= $9 { held++ }
	END {
		if (n == 0)
			exit
		printf "%d %d %d %d %d %d %d %d %d ", n, refused, judged, any,
		    lost, won, itl, possible, held
		printf "%.4f %.1f %.1f %.1f %.1f %.1f\n",
		    judged ? exp(ratio / judged) : 0, wall / n / 100,
		    cpu / n / 100, loads ? load / loads : 0, least, most
	}' "$table"
}

# rows KIND COLUMN: how often each row was found.
rows() {
	awk -F'\t' -v kind="$1" -v column="$2" '
	$1 == kind && $column != "-" {
		m = split($column, names, ",")
		for (i = 1; i <= m; i++)
			count[names[i]]++
	}
	END { for (i in count) print count[i], i }' "$table" |
	    sort -k1,1nr -k2 | awk '{ printf "%s%s %d", sep, $2, $1; sep = ", " }
	    END { print sep == "" ? "none" : "" }'
}

table=$1
echo "| B | sessions | refused | any row found | upper 95 % | lost | won | itl lost | itl possibly | itl interval holds | itl B/A | wall | CPU | load |"
echo "| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | :--- |"
for kind in equal slower; do
	if [ $kind = equal ]; then truth=1; else truth=1.05; fi
	# shellcheck disable=SC2046 # numbers
	set -- $(tally $kind $truth)
	[ $# -gt 0 ] || continue
	upper=-
	[ $kind = slower ] || [ "$3" = 0 ] ||
	    upper=$("$here/real.sh" --bound "$4" "$3")
	echo "| $kind | $1 | $2 | $4 | $upper | $5 | $6 | $7 | $8 | $9 |" \
	    "${10} | ${11} s | ${12} s | ${13} (${14} to ${15}) |"
done
echo
for kind in equal slower; do
	echo "$kind: lost: $(rows $kind 4); won: $(rows $kind 5)"
done
