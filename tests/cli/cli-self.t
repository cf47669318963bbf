#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The runner of CLI cases passes what is right, fails what is wrong, keeps or
# removes scratch folders, rewrites expectations, and leaves no process behind.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
here=$root/tests/cli
scratch
CLI_DIR=$tmp/cli
TMPDIR=$tmp/tmp
export CLI_DIR TMPDIR
unset CASE GOLDEN
mkdir -p "$CLI_DIR/t" "$TMPDIR"

why()
{
	sed 's/^/# /' "$tmp/said"
}

run()
{
	"$@" sh "$here/cli.t" >"$tmp/said" 2>&1
}

# one NAME STDOUT STDERR EXIT: a case with its text from standard input; a
# dash means that the sidecar is not there.
one()
{
	rm -f "$CLI_DIR"/t/*
	cat >"$CLI_DIR/t/$1.sh"
	[ "$2" = - ] || printf '%b' "$2" >"$CLI_DIR/t/$1.stdout"
	[ "$3" = - ] || printf '%b' "$3" >"$CLI_DIR/t/$1.stderr"
	[ "$4" = - ] || echo "$4" >"$CLI_DIR/t/$1.exit"
}

passes()
{
	run env && grep -q '^ok - t/' "$tmp/said"
	ok $? "$1"
}

fails()
{
	if run env; then
		ok 1 "$1"
	else
		grep -q '^not ok - t/' "$tmp/said"
		ok $? "$1"
	fi
}

one case - - - <<'END'
:
END
passes 'nothing expected, nothing said'
[ -z "$(ls "$TMPDIR")" ]
ok $? 'the scratch folder is removed'

one case 'a\nb\n' 'c\n' 3 <<'END'
echo a; echo b; echo c >&2; exit 3
END
passes 'all as the sidecars have it'
one case 'a\n' - - <<'END'
:
END
fails 'missing output'
scratch=$(sed -n 's/^# scratch kept: //p' "$tmp/said")
[ -d "$scratch" ]
ok $? 'the scratch folder is kept'
one case - - - <<'END'
echo a
END
fails 'output that is not expected'
one case - - - <<'END'
echo a >&2
END
fails 'standard error that is not expected'
one case - - - <<'END'
exit 1
END
fails 'exit code that is not expected'
one case - - 1 <<'END'
:
END
fails 'success that is not expected'
one case 'a\nb' - - <<'END'
printf 'a\nb'
END
passes 'no LF at the end'

one case 'a\n...\nd\n' - - <<'END'
printf 'a\nb\nc\nd\n'
END
passes '... is several lines'
one case 'a\n...\nb\n' - - <<'END'
printf 'a\nb\n'
END
passes '... is no line'
one case '...\nb\n...\nb\nc\n' - - <<'END'
printf 'x\nb\nb\nb\nc\n'
END
passes '... looks further'
one case '...\nb\n...\nc\n' - - <<'END'
printf 'x\nb\nb\nd\n'
END
fails '... is not everything'
one case '...\n' - - <<'END'
:
END
passes '... alone takes nothing, too'
one case 'at ... of ...;\n' - - <<'END'
echo 'at 127.0.0.1:99 of x;'
END
passes '... in a line is any text'
one case 'at ... of ...;\n' - - <<'END'
echo 'at 127.0.0.1:99 of x'
END
fails 'but not the rest'
one case 'usage: t [option ...]\n' - - <<'END'
echo 'usage: t [option ...]'
END
passes '... as itself'

one case 'C UTC 1772366400\nscratch\nscratch\n' - - <<'END'
echo "$LC_ALL $TZ $SOURCE_DATE_EPOCH"
basename "$PWD"
basename "$HOME"
read x && echo no
test "${PATH%%:*}" = "$B/bin" && test -d "$FIXTURES" && test -d "$CLI"
END
passes 'the world of a case'

one case - - - <<END
sleep 300 &
echo \$! >$tmp/pid
END
passes 'a process left behind'
sleep 0.1
# A zombie that nobody reaps is dead enough.
! grep -q '^State:[[:space:]]*[RSDT]' "/proc/$(cat "$tmp/pid")/status" 2>/dev/null
ok $? 'is killed'

one case - - 124 <<'END'
sleep 300
END
sed 's/^limit=.*/limit=1/' "$here/cli.t" >"$tmp/quick.t"
mkdir -p "$tmp/a/b" && cp "$tmp/quick.t" "$tmp/a/b/quick.t"
sh "$tmp/a/b/quick.t" >"$tmp/said" 2>&1
grep -q '^ok - t/case' "$tmp/said"
ok $? 'a case that hangs is ended'

one case 'old\n' 'old\n' 1 <<'END'
echo new; exit 2
END
run env GOLDEN=1
[ "$(cat "$CLI_DIR/t/case.stdout")" = new ] &&
    [ ! -e "$CLI_DIR/t/case.stderr" ] &&
    [ "$(cat "$CLI_DIR/t/case.exit")" = 2 ]
ok $? 'golden rewrites, and removes what is empty'
passes 'what it wrote'
one case 'a\n...\n' - - <<'END'
echo a; echo b
END
run env GOLDEN=1
[ "$(tail -n 1 "$CLI_DIR/t/case.stdout")" = ... ]
ok $? 'golden leaves what holds'

one case - - - <<'END'
:
END
mkdir "$CLI_DIR/u"
cp "$CLI_DIR/t/case.sh" "$CLI_DIR/u/case.sh"
cp "$CLI_DIR/t/case.sh" "$CLI_DIR/u/other.sh"
count()
{
	run env CASE="$1"
	[ "$(grep -c '^ok - ' "$tmp/said")" -eq "$2" ]
	ok $? "CASE='$1' runs $2"
}
count '' 3
count 't/case' 1
count 'u' 2
count '*/case' 2
count 't/case u/other' 2
count 'none' 0

done_testing
