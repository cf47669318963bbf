#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# banned.sh [ROOT]: calls that have a checked substitute in lib/base/, and output
# or exits where they do not belong.  Comments and strings do not count.
# shellcheck disable=SC2016
set -u
cd "${1:-$(dirname "$0")/../..}" || exit 2

find lib bin tests -name '*.[ch]' 2>/dev/null | LC_ALL=C sort | xargs -r awk '
BEGIN {
	start = "(^|[^A-Za-z0-9_>.])("
	stop = ")[ \t]*[(]"
	never = start "strcpy|strcat|strncpy|stpcpy|sprintf|vsprintf|strtok|" \
	    "strtok_r|gets|atoi|atol|atoll|atof|gmtime|localtime|ctime|" \
	    "asctime|system|popen|alloca|setlocale|tmpnam|mktemp|" \
	    "cJSON_GetObjectItem|cJSON_HasObjectItem" stop
	number = start "strtol|strtoul|strtoll|strtoull|strtoimax|" \
	    "strtoumax|strtod|strtof|strtold|sscanf|fscanf|scanf|gmtime_r|" \
	    "localtime_r|mktime|strftime" stop
	memory = start "malloc|calloc|realloc|reallocarray|free|strdup|" \
	    "strndup|asprintf|vasprintf|getline" stop
	output = start "printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|" \
	    "putc|fputc|fwrite|perror|exit|_exit|_Exit|quick_exit|abort|" \
	    "getenv|secure_getenv" stop
	prints = start "cJSON_Print[A-Za-z]*" stop
}
function complain(what)
{
	match(line, what)
	found = substr(line, RSTART, RLENGTH)
	gsub(/[ \t]*[(]$|^[^A-Za-z_]+/, "", found)
	print FILENAME ":" FNR ": " found " " why
	bad = 1
}
FNR == 1 {
	inside = 0
	in_lib = FILENAME ~ "^(lib|bin)/"
	quiet = FILENAME ~ "^lib/" && FILENAME !~ "^lib/cli/"
}
{
	line = $0
	gsub(/\\./, "", line)
	gsub(/"[^"]*"/, "\"\"", line)
	gsub(/\047[^\047]*\047/, "0", line)
	if (inside) {
		if (line !~ "[*]/")
			next
		sub(/^.*[*]\//, "", line)
		inside = 0
	}
	gsub(/[/][*]([^*]|[*][^/])*[*][/]/, " ", line)
	if (line ~ "[/][*]") {
		sub(/[/][*].*$/, "", line)
		inside = 1
	}
	sub(/[/][/].*$/, "", line)

	why = "is banned"
	if (line ~ never)
		complain(never)
	why = "belongs in lib/base/"
	if (in_lib && FILENAME !~ "^lib/base/" && line ~ number)
		complain(number)
	why = "goes through base/mem.h"
	if (in_lib && FILENAME !~ "^lib/base/mem(_large)?[.]c$" && line ~ memory)
		complain(memory)
	why = "belongs in bin/ and lib/cli/"
	if (quiet && line ~ output)
		complain(output)
	why = "loses digits; codec/json_write.h prints"
	if (in_lib && line ~ prints)
		complain(prints)
	why = "may only go to out"
	if (line ~ "(^|[^A-Za-z0-9_])goto[ \t]" && line !~ "goto[ \t]+out;")
		complain("goto")
}
END { exit bad }
'
