/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/span.h"

#include "unit/tap.h"

int
main(void)
{
	const struct tape_str none = tape_str_of(NULL);
	const struct tape_str empty = tape_str_of("");
	const struct tape_str text = tape_str_make("abcdef", 3);

	ok(none.p == NULL && none.len == 0, "absent");
	ok(empty.p != NULL && empty.len == 0, "empty is not");
	ok(tape_str_is(text, "abc"), "so many bytes");
	ok(!tape_str_is(text, "abcd") && !tape_str_is(text, "ab"), "no other");
	ok(!tape_str_equal(none, none), "absent equals nothing");
	ok(tape_str_equal(empty, empty), "empty equals itself");
	is_int(tape_str_shown(text, 4), 3, "a short one is shown whole");
	is_int(tape_str_shown(text, 3), 3, "one that just fits, too");
	is_int(tape_str_shown(text, 2), 2, "a long one is cut");
	is_int(tape_str_shown(none, 2), 0, "nothing of what is absent");
	return done_testing();
}
