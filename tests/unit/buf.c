/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/buf.h"

#include "base/mem.h"
#include "unit/tap.h"

static void
test_growth_and_cap(void)
{
	struct tape_buf b;
	struct tape_err err = { 0 };

	tape_buf_init(&b, 10);
	is_str(b.data, "", "a new buffer is an empty string");
	is_int(tape_buf_add_str(&b, "12345"), TAPE_OK, "append");
	is_int(tape_buf_add_fmt(&b, "%d", 67890), TAPE_OK, "append formatted");
	is_str(b.data, "1234567890", "both are there");
	is_int(tape_buf_add_char(&b, 'x'), TAPE_E_LIMIT, "the cap holds");
	is_int((int)b.len, 10, "a failed append changes nothing");
	is_int(tape_buf_status(&b, &err), TAPE_E_LIMIT, "and is remembered");
	is_str(err.text, "larger than the limit of 10 bytes", "in words");
	tape_buf_clear(&b);
	is_int(tape_buf_add(&b, "a\0b", 3), TAPE_OK, "usable after clear");
	tape_buf_consume(&b, 2);
	is_str(b.data, "b", "consume removes from the front");
	tape_buf_release(&b);
	tape_buf_release(&b);
}

static void
test_no_memory(void)
{
	struct tape_buf b;
	struct tape_err err = { 0 };

	tape_buf_init(&b, 100);
	(void)tape_mem_fail_at(1);
	is_int(tape_buf_add_str(&b, "x"), TAPE_E_NOMEM, "no memory is said");
	(void)tape_mem_fail_at(0);
	is_int(tape_buf_status(&b, &err), TAPE_E_NOMEM, "and sticks");
	tape_buf_clear(&b);
	is_int(tape_buf_add_str(&b, "x"), TAPE_OK, "until cleared");
	tape_buf_release(&b);
}

int
main(void)
{
	test_growth_and_cap();
	test_no_memory();
	return done_testing();
}
