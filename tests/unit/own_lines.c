/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/own_lines.h"
#include "unit/tap.h"

#include <string.h>

static struct tape_own_lines_text t;

static void
test_lines(void)
{
	const struct tape_own_lines none = { .session = NULL };
	const struct tape_own_lines both = { "X-Session", "X-Id", 0 };
	const struct tape_str absent = { NULL, 0 };

	tape_own_lines_fill(&t, &none, tape_str_of("a"), "i");
	is_int((int64_t)t.n, 0, "no names, no lines");
	tape_own_lines_fill(&t, &both, tape_str_of("conv-7"), "i");
	is_int((int64_t)t.n, 2, "two names");
	is_str(t.line[0], "X-Session: conv-7", "a session");
	is_str(t.line[1], "X-Id: i", "an id");
	tape_own_lines_fill(&t, &both, absent, "i");
	is_int((int64_t)t.n, 1, "no session");
	is_str(t.line[0], "X-Id: i", "leaves the id");
}

static void
test_bytes(void)
{
	const struct tape_own_lines name = { .session = "S" };
	char far[5000];

	tape_own_lines_fill(&t, &name, tape_str_of("a b\r\nX: y%\xc3\xa9"), "");
	is_str(t.line[0], "S: a%20b%0D%0AX:%20y%25%C3%A9",
	    "no byte ends the line");
	memset(far, 'a', sizeof(far));
	tape_own_lines_fill(&t, &name, tape_str_make(far, sizeof(far)), "");
	ok(strlen(t.line[0]) < TAPE_OWN_LINE_BYTES, "a long one is cut");
	memset(far, 1, sizeof(far));
	tape_own_lines_fill(&t, &name, tape_str_make(far, sizeof(far)), "");
	ok(strlen(t.line[0]) < TAPE_OWN_LINE_BYTES &&
		strlen(t.line[0]) % 3 == 0,
	    "at a whole byte");
}

static void
test_id(void)
{
	char a[TAPE_OWN_ID_TEXT], b[TAPE_OWN_ID_TEXT];

	is_str(tape_own_lines_id(
		   UINT64_C(0x0123456789abcdef), (int64_t)(3ULL << 32 | 7), a),
	    "01234567-89ab-8def-8000-000300000007", "ends with x");
	(void)tape_own_lines_id(UINT64_C(0x0123456789abcdef), 8, b);
	ok(strcmp(a, b) != 0, "each is another");
	is_int((int64_t)strlen(b), 36, "of one length");
	ok(tape_own_lines_salt() != tape_own_lines_salt(),
	    "as are those of each run");
}

int
main(void)
{
	test_lines();
	test_bytes();
	test_id();
	return done_testing();
}
