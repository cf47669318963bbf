/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reduce_cell.h"

#include "unit/tap.h"

static void
is_cell(
    const char *unit, double middle, double largest, double v, const char *want)
{
	struct tape_reduce_scale s =
	    tape_reduce_scale_for(unit, middle, largest);
	struct tape_buf b;

	tape_buf_init(&b, 1000);
	tape_reduce_cell(&b, &s, v, "n/a");
	(void)tape_buf_add_fmt(&b, " %s", s.unit);
	is_str(b.data, want, "%g %s", v, unit);
	tape_buf_release(&b);
}

static void
is_wrapped(const char *text, size_t column, size_t indent, const char *want)
{
	struct tape_buf b;

	tape_buf_init(&b, 1000);
	tape_reduce_text_wrap(&b, tape_str_of(text), column, indent);
	is_str(b.data, want, "wrapped: %s", text);
	tape_buf_release(&b);
}

static void
is_safe(struct tape_str s, size_t max, const char *want)
{
	struct tape_buf b;

	tape_buf_init(&b, 1000);
	tape_reduce_text_safe(&b, s, max);
	is_str(b.data, want, "safe: %s", want);
	tape_buf_release(&b);
}

static void
test_part(void)
{
	char name[TAPE_REDUCE_NAME_BYTES + 1];
	struct tape_buf b;

	memset(name, 'n', sizeof(name));
	tape_buf_init(&b, 1000);
	tape_reduce_text_part(&b, "absent ", tape_str_make(NULL, 0));
	is_int(b.len, 0, "an absent name adds nothing");
	tape_reduce_text_part(&b, "arm ", tape_str_of("a\n"));
	is_str(b.data, "arm a?", "a name and what stands before it");
	tape_buf_clear(&b);
	tape_reduce_text_part(&b, "", tape_str_make(name, sizeof(name)));
	is_int(b.len, TAPE_REDUCE_NAME_BYTES, "a long name is cut");
	tape_buf_release(&b);
}

int
main(void)
{
	is_cell("ns", 5.2e3, 9e3, 5.2e3, "    5.200 us");
	is_cell("ns", 5.2e6, 9e6, 5.2e6, "    5.200 ms");
	is_cell("ns", 52e6, 9e7, 52e6, "    52.00 ms");
	is_cell("ns", 520e6, 9e8, 520e6, "    520.0 ms");
	is_cell("ns", 5.2e9, 9e9, 1e6, "    0.001 s");
	is_cell("ns", 0, 7e6, 7e6, "    7.000 ms");
	is_cell("ns", 0, 0, 0, "    0.000 us");
	/* One outlier does not make the rest unreadable, nor too wide. */
	is_cell("ns", 5.2e6, 12e9, 12e9, "  12000.0 ms");
	is_cell("ns", 5.2e6, 12e9, 5.2e6, "      5.2 ms");
	is_cell("ns", 5.2e6, 3.6e12, 3.6e12, "  3600.00 s");
	is_cell("ns", -4e6, 5e6, -4e6, "   -4.000 ms");
	is_cell("per_s", 63.211, 70, 63.211, "    63.21 /s");
	is_cell("tokens", 64, 128, 63.95, "     64.0 tokens");
	is_cell("tokens", 64, 191378, 191378, "   191378 tokens");
	is_cell("tokens", 64, 9e15, 9e15, " 9000000000000000 tokens");
	is_cell("ns", 1, 1, TAPE_ABSENT_F64, "      n/a us");

	is_wrapped("short", 70, 4, "short");
	is_wrapped("two words", 70, 4, "two words");
	is_wrapped("two wordsx", 71, 4, "two\n    wordsx");
	is_wrapped("", 10, 4, "");

	is_safe(tape_str_of("a\nb\x1b[31m\x7f"), 100, "a?b?[31m?");
	is_safe(tape_str_of("\xc3\xa9\xc3\xa9"), 3, "\xc3\xa9");
	is_safe(tape_str_make(NULL, 0), 3, "");
	test_part();
	return done_testing();
}
