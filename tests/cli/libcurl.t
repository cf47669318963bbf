#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The tests of trace-replay once more with --libcurl: plain requests that are
# libcurl's must not be told from those that are framed by the tool itself.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
scratch

# A folder of tools in which trace-replay has the option.
mkdir "$tmp/bin" || exit 1
ln -s "$B/support" "$tmp/support"
for tool in "$B"/bin/*; do
	ln -s "$tool" "$tmp/bin/"
done
rm "$tmp/bin/trace-replay"
cat >"$tmp/bin/trace-replay" <<END
#!/bin/sh
echo >>'$tmp/used'
exec '$B/bin/trace-replay' --libcurl "\$@"
END
chmod +x "$tmp/bin/trace-replay"

why()
{
	grep -A 4 '^not ok' "$tmp/$t.out" | sed 's/^/# /'
}

for t in trace-replay trace-replay2; do
	: >"$tmp/used"
	B=$tmp sh "$root/tests/cli/$t.t" >"$tmp/$t.out" 2>&1
	ok $? "$t.t"
	[ -s "$tmp/used" ]
	ok $? "with the option"
done
done_testing
