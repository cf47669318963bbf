/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/recent.h"

#include "base/mem.h"
#include "engine/idmap.h"
#include "unit/tap.h"

static uint64_t
key_of(uint64_t i)
{
	return tape_idmap_mix(i, 7);
}

static uint64_t
session_of(uint64_t i)
{
	return i < 5000 ? 0 : i % 1000 + 1;
}

/* How many answers about the requests around the edges are wrong. */
static int
count_wrong(const struct tape_recent *r)
{
	const uint64_t first = r->n > TAPE_RECENT ? r->n - TAPE_RECENT : 0;
	uint64_t seq, session;
	int wrong = 0;

	for (uint64_t i = 0; i < r->n; i += i % 4096 == 5 ? 4091 : 1) {
		bool there = tape_recent_get(r, key_of(i), &seq, &session);

		wrong += there != (i >= first);
		wrong += there && (seq != i || session != session_of(i));
	}
	wrong += tape_recent_get(r, key_of(r->n), NULL, NULL);
	return wrong;
}

static void
test_window(void)
{
	const uint64_t n = 2 * TAPE_RECENT + 12345;
	struct tape_recent r = { 0 };
	int failed = 0;

	ok(!tape_recent_get(&r, key_of(0), NULL, NULL), "empty");
	for (uint64_t i = 0; i < n; i++) {
		failed += tape_recent_add(&r, key_of(i), session_of(i), NULL) !=
			  TAPE_OK;
		if (i == 3 || i == 1023 || i == 1024 || i == 7000 ||
		    i + 1 == TAPE_RECENT || i == TAPE_RECENT ||
		    i == TAPE_RECENT + 1)
			is_int(count_wrong(&r), 0, "after %d", (int)i);
	}
	is_int(failed, 0, "all are added");
	is_int(count_wrong(&r), 0, "the last ones are known, none before");
	is_int((int64_t)r.room, (int64_t)TAPE_RECENT, "room for no more");
	tape_recent_release(&r);
	is_int((int64_t)r.n, 0, "released");
}

/* An id that was forgotten may come again. */
static void
test_again(void)
{
	struct tape_recent r = { 0 };
	uint64_t seq = 0;
	int failed = 0;

	for (uint64_t i = 0; i < TAPE_RECENT + 1; i++)
		failed += tape_recent_add(&r, key_of(i), 0, NULL) != TAPE_OK;
	is_int(failed, 0, "one more than fit");
	ok(!tape_recent_get(&r, key_of(0), NULL, NULL), "the first is gone");
	is_int(tape_recent_add(&r, key_of(0), 3, NULL), TAPE_OK, "again");
	ok(tape_recent_get(&r, key_of(0), &seq, NULL), "is there");
	is_int((int64_t)seq, (int64_t)TAPE_RECENT + 1, "at its new place");
	tape_recent_release(&r);
}

/* Each failing allocation leaves what was there. */
static void
test_memory(void)
{
	for (uint64_t nth = 1; nth < 5; nth++) {
		struct tape_recent r = { 0 };
		uint64_t n = 0;
		int lost = 0;

		for (; n < 1024; n++)
			(void)(tape_recent_add(&r, key_of(n), n % 3, NULL) ==
			       TAPE_OK);
		tape_mem_fail_at(nth);
		while (n < 1030 &&
		       tape_recent_add(&r, key_of(n), 1, NULL) == TAPE_OK)
			n++;
		tape_mem_fail_at(0);
		ok(nth > 3 ? n == 1030 : n == 1024, "stopped at %d", (int)n);
		for (uint64_t i = 0; i < n; i++)
			lost += !tape_recent_get(&r, key_of(i), NULL, NULL);
		is_int(lost, 0, "none is lost");
		tape_recent_release(&r);
	}
}

int
main(void)
{
	test_window();
	test_again();
	test_memory();
	return done_testing();
}
