/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/spread.h"
#include "unit/tap.h"

#include <stdio.h>

static struct tape_spread s;
static struct tape_err err;

static int
pick(const char *session, uint64_t pass)
{
	size_t server = 99;

	if (tape_spread_pick(&s, tape_str_of(session), pass, &server, &err) !=
	    TAPE_OK)
		return -1;
	return (int)server;
}

static void
test_turns(void)
{
	tape_spread_begin(&s, 3);
	for (int i = 0; i < 7; i++)
		is_int(pick(NULL, 0), i % 3, "in turn");
	tape_spread_begin(&s, 3);
	is_int(pick(NULL, 0), 0, "each stage begins with the first");
	tape_spread_begin(&s, 1);
	is_int(pick("a", 0), 0, "of one");
	is_int(pick(NULL, 0), 0, "all get it");
}

static void
test_sessions(void)
{
	tape_spread_begin(&s, 2);
	is_int(pick("a", 0), 0, "a session");
	is_int(pick("b", 0), 1, "another");
	is_int(pick("a", 0), 0, "stays");
	is_int(pick("a", 0), 0, "and stays");
	is_int(pick("b", 0), 1, "as the other");
	is_int(pick("c", 0), 0, "a third takes its turn");
	is_int(pick(NULL, 0), 1, "as does one without");
	is_int(pick("b", 1), 0, "in another pass it is new");
	is_int(pick("b", 0), 1, "apart from the old one");
}

static void
test_many(void)
{
	char name[32];
	int wrong = 0;

	tape_spread_begin(&s, 2);
	(void)pick("kept", 0);
	for (size_t i = 0; i < 3 * TAPE_SPREAD_KNOWN; i++) {
		(void)snprintf(name, sizeof(name), "%zu", i);
		(void)pick(name, 0);
		if (i % 1000 == 0)
			wrong += pick("kept", 0) != 0;
	}
	is_int(wrong, 0, "one that goes on is not forgotten");
	ok(s.now.n <= TAPE_SPREAD_KNOWN && s.before.n <= TAPE_SPREAD_KNOWN,
	    "others are");
}

int
main(void)
{
	test_turns();
	test_sessions();
	test_many();
	tape_spread_release(&s);
	return done_testing();
}
