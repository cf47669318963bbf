#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every lint script passes on a small good tree and fails, in the words that
# are expected, on that tree with one thing wrong.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
lint=$root/tests/lint
scratch

why()
{
	sed 's/^/# /' "$tmp/said"
}

spdx='SPDX-License-Identifier: GPL-3.0-or-later'

# Files with their text: put FILE <<END.
put()
{
	mkdir -p "$tmp/tree/$(dirname "$1")"
	{
		case $1 in
		*.h | *.c) echo "/* $spdx */" ;;
		*.1) echo ".\\\" $spdx" ;;
		*) echo "# $spdx" ;;
		esac
		cat
	} >"$tmp/tree/$1"
}

good_tree()
{
	rm -rf "$tmp/tree"
	put lib/base/err.h <<-'END'
	#ifndef TAPE_BASE_ERR_H
	#define TAPE_BASE_ERR_H
	#include <stdio.h>
	int tape_err_set(void); /* strcpy( in a comment */
	#endif
	END
	put lib/base/err.c <<-'END'
	#include "base/err.h"

	/* A comment of several lines that says
	 * sprintf(x) and goto nowhere; is no call. */
	int
	tape_err_set(void)
	{
		return snprintf(NULL, 0, "strcpy(a, b)") + 'a' + '"';
	}
	END
	put lib/codec/http_easy.c <<-'END'
	#include "base/err.h"

	#include <curl/curl.h>
	END
	put lib/engine/gen.h <<-'END'
	#ifndef TAPE_ENGINE_GEN_H
	#define TAPE_ENGINE_GEN_H
	#include "base/err.h"
	#endif
	END
	put lib/cli/diag.c <<-'END'
	#include "base/err.h"
	void f(void) { printf("x"); exit(1); }
	END
	put bin/tool.c <<-'END'
	#include "cli/opt.h"
	#include "engine/gen.h"
	#include "tape_build.h"
	END
	put tests/unit/err.c <<-'END'
	#include "base/err.h"
	END
	put man/tool.1 <<-'END'
	.Bl -tag -width Ds
	.It Fl o , Fl -output Ar FILE
	Writes there.
	.It Fl -wait-ready Ns Op = Ns Ar PATH
	Waits.
	.It Fl q , Fl -quiet
	Says nothing.
	.El
	END
	put Makefile <<-'END'
	all:
	END
	mkdir -p "$tmp/bin"
	cat >"$tmp/bin/tool" <<-'END'
	#!/bin/sh
	case $1 in
	--list-options)
		echo '-o, --output FILE'
		echo '--wait-ready[=PATH]'
		echo '-q, --quiet'
		;;
	--help-all)
		echo 'usage: tool --not-an-option'
		echo 'Group:'
		echo '  -o, --output FILE        write to FILE'
		echo '      --wait-ready[=PATH]  wait'
		echo '  -q, --quiet              nothing  --else'
		;;
	esac
	END
	chmod +x "$tmp/bin/tool"
}

run()
{
	case $1 in
	options) sh "$lint/options.sh" "$tmp/tree" "$tmp/bin" ;;
	*) sh "$lint/$1.sh" "$tmp/tree" ;;
	esac >"$tmp/said" 2>&1
}

# fails SCRIPT WORDS: it does, and says so.
fails()
{
	if run "$1"; then
		ok 1 "$1 fails: $2"
	else
		grep -qF -- "$2" "$tmp/said"
		ok $? "$1 fails: $2"
	fi
	good_tree
}

good_tree
for s in layers banned headers size unique marks options; do
	run $s
	ok $? "$s passes on a good tree"
	[ ! -s "$tmp/said" ]
	ok $? "$s says nothing then"
done

put lib/base/err.c <<'END'
#include "codec/sse.h"
END
fails layers 'base includes codec/sse.h, which is not below'
put lib/engine/gen.c <<'END'
#include "cli/diag.h"
END
fails layers 'engine includes cli/diag.h, which is not below'
put lib/cli/diag.c <<'END'
#include "engine/gen.h"
END
fails layers 'cli includes engine/gen.h, which is not below'
put lib/codec/sse.c <<'END'
#include "err.h"
END
fails layers 'include "err.h" names no floor'
put lib/misc/x.c <<'END'
END
fails layers 'no floor is known for misc/'
put lib/codec/sse/x.c <<'END'
END
fails layers 'deeper than lib/FOLDER/FILE'
put lib/codec/sse.c <<'END'
# include <zstd.h>
END
fails layers '<zstd.h> belongs to its own module only'
put bin/tool.c <<'END'
#include <cjson/cJSON.h>
END
fails layers '<cjson/cJSON.h> belongs to its own module only'
put lib/codec/http_easy.h <<'END'
#include <curl/curl.h>
END
fails layers '<curl/curl.h> belongs to its own module only'
put lib/engine/gen.c <<'END'
#include <gsl/gsl_rng.h>
END
fails layers '<gsl/gsl_rng.h> belongs to its own module only'

put lib/base/err.c <<'END'
void f(void) { strcpy (a, "b"); }
END
fails banned 'strcpy is banned'
put tests/unit/err.c <<'END'
/* over
   two lines */ int x = atoi("1");
END
fails banned 'atoi is banned'
put lib/codec/sse.c <<'END'
int x = strtol(s, 0, 10);
END
fails banned 'strtol belongs in lib/base/'
put bin/tool.c <<'END'
void *p = malloc(1);
END
fails banned 'malloc goes through base/mem.h'
put lib/engine/gen.c <<'END'
void f(void) { if (x) fprintf(stderr, "x"); }
END
fails banned 'fprintf belongs in bin/ and lib/cli/'
put lib/engine/gen.c <<'END'
void f(void) { exit(1); }
END
fails banned 'exit belongs in bin/ and lib/cli/'
put lib/codec/json_tree.c <<'END'
void f(void) { x = cJSON_PrintUnformatted(t); }
END
fails banned 'cJSON_PrintUnformatted loses digits'
put lib/codec/json_tree.c <<'END'
void f(void) { x = cJSON_GetObjectItem(t, "a"); }
END
fails banned 'cJSON_GetObjectItem is banned'
put lib/engine/gen.c <<'END'
void f(void) { goto again; }
END
fails banned 'goto may only go to out'

put lib/base/err.h <<'END'
#ifndef ERR_H
#define ERR_H
#endif
END
fails headers 'the guard is not TAPE_BASE_ERR_H'
put lib/base/err.h <<'END'
#ifndef TAPE_BASE_ERR_H
#define TAPE_BASE_ERR_H
extern size_t x;
#endif
END
fails headers 'lib/base/err.h: does not compile alone'

seq 501 | sed 's/.*/int x&;/' | put lib/base/err.c
fails size 'lib/base/err.c: 502 lines, the limit is 500'
seq 400 | sed 's/.*/int x&;/' | put bin/tool.c
fails size 'bin/tool.c: 401 lines, the limit is 400'
seq 800 | sed 's/.*/int x&;/' | put tests/unit/err.c
fails size 'tests/unit/err.c: 801 lines, the limit is 800'

put lib/codec/err.c <<'END'
END
fails unique 'lib/codec/err.c: has the name of lib/base/err.c'
put tests/lint/layers.sh <<'END'
END
put tests/support/layers.sh <<'END'
END
fails unique 'tests/support/layers.sh: has the name of tests/lint/layers.sh'

echo 'int x;' >"$tmp/tree/lib/base/err.c"
fails marks 'lib/base/err.c:1: no SPDX line at the top'
put bin/tool.c <<END
/* TO${lint:+}DO: more */
END
fails marks 'unfinished work is an issue, not a mark'
printf 'int x; \n' | put bin/tool.c
fails marks 'bin/tool.c:2: white space at the end'

rm "$tmp/tree/man/tool.1"
fails options 'tool: there is no man/tool.1'
put man/tool.1 <<'END'
.It Fl o , Fl -output Ar OUT
.It Fl -wait-ready Ns Op = Ns Ar PATH
.It Fl q , Fl -quiet
END
fails options '> -o, --output OUT'
put man/tool.1 <<'END'
.It Fl o , Fl -output Ar FILE
.It Fl -wait-ready Ns Op = Ns Ar PATH
END
fails options '< -q, --quiet'
sed -i 's/      --wait-ready/      wait-ready/' "$tmp/bin/tool"
fails options '< --wait-ready[=PATH]'
sed -i 's/write to FILE/&&&&&&&&&&&&/' "$tmp/bin/tool"
fails options 'tool: --help-all is wider than 80 columns'
rm "$tmp/bin/tool"
fails options 'tool: --list-options failed'

done_testing
