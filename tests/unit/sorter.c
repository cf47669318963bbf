/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines come out in order, from memory and from a file alike. */
#include "engine/sorter.h"

#include "base/mem.h"
#include "unit/tap.h"

#define LINES 2000

/* Adds the ith of the lines: times come seven times each, and some lines are
   long. */
static enum tape_status
add(struct tape_sorter *s, int i, struct tape_err *err)
{
	const int order = (i * 977) % LINES;
	const struct tape_sorter_key key = { order / 7 - 100,
		(uint64_t)(order / 3), order % 2 };
	char line[600];
	int n =
	    snprintf(line, sizeof(line), "%*d", order % 97 ? 4 : 500, order);

	return tape_sorter_add(s, &key, line, (size_t)n, err);
}

static bool
in_order(const struct tape_sorter_key *a, const struct tape_sorter_key *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	if (a->key != b->key)
		return a->key < b->key;
	return a->what <= b->what;
}

/* Returns the number of runs in the file. */
static size_t
check(size_t most, bool backwards, struct tape_buf *got)
{
	struct tape_sorter s;
	struct tape_sorter_key key, last = { INT64_MIN, 0, 0 };
	struct tape_str line;
	struct tape_err err = { 0 };
	enum tape_status st = TAPE_OK;
	bool ordered = true;
	size_t n = 0, runs;

	tape_sorter_init(&s, most, NULL);
	for (int i = 0; i < LINES && st == TAPE_OK; i++)
		st = add(&s, backwards ? LINES - 1 - i : i, &err);
	is_int(st, TAPE_OK, "added with %zu bytes", most);
	while ((st = tape_sorter_next(&s, &key, &line, &err)) == TAPE_OK) {
		ordered = ordered && in_order(&last, &key);
		last = key;
		n++;
		(void)tape_buf_add(got, line.p, line.len);
		(void)tape_buf_add_char(got, '\n');
	}
	is_int(st, TAPE_EOF, "read to the end");
	is_int(tape_sorter_next(&s, &key, &line, &err), TAPE_EOF,
	    "and it stays there");
	is_int(n, LINES, "all came");
	ok(ordered, "in order");
	runs = s.run_n;
	tape_sorter_release(&s);
	return runs;
}

static void
test_spill(void)
{
	struct tape_buf want, got;

	tape_buf_init(&want, 1 << 20);
	is_int(check(1 << 20, false, &want), 0, "all fits into memory");
	for (size_t most = 1; most < 200000; most *= 13) {
		tape_buf_init(&got, 1 << 20);
		ok(check(most, most % 2 == 0, &got) > 0, "there is a file");
		is_str(got.data, want.data, "the same as from memory");
		tape_buf_release(&got);
	}
	tape_buf_release(&want);
}

static void
test_empty(void)
{
	struct tape_sorter s;
	struct tape_sorter_key key;
	struct tape_str line;
	struct tape_err err = { 0 };

	tape_sorter_init(&s, 100, NULL);
	is_int(tape_sorter_next(&s, &key, &line, &err), TAPE_EOF, "nothing");
	tape_sorter_release(&s);
}

static void
test_no_folder(void)
{
	struct tape_sorter s;
	struct tape_sorter_key key;
	struct tape_str line;
	struct tape_err err = { 0 };
	enum tape_status st = TAPE_OK;

	tape_sorter_init(&s, 100, "/nowhere");
	for (int i = 0; i < 10 && st == TAPE_OK; i++)
		st = add(&s, i, &err);
	if (st == TAPE_OK)
		st = tape_sorter_next(&s, &key, &line, &err);
	is_int(st, TAPE_E_IO, "there is no such folder");
	ok(strstr(err.text, "/nowhere") != NULL, "which is named");
	tape_sorter_release(&s);
}

static void
test_no_memory(void)
{
	uint64_t made = 1;

	for (uint64_t nth = 1; nth <= made + 1; nth++) {
		struct tape_sorter s;
		struct tape_sorter_key key;
		struct tape_str line;
		struct tape_err err = { 0 };
		enum tape_status st = TAPE_OK;
		int n = 0;

		tape_sorter_init(&s, 3000, NULL);
		(void)tape_mem_fail_at(nth);
		for (int i = 0; i < 100 && st == TAPE_OK; i++)
			st = add(&s, i, &err);
		while (st == TAPE_OK) {
			st = tape_sorter_next(&s, &key, &line, &err);
			n += st == TAPE_OK;
		}
		made = tape_mem_fail_at(0);
		ok(st == TAPE_E_NOMEM || (st == TAPE_EOF && n == 100),
		    "allocation %d fails, or none", (int)nth);
		if (st == TAPE_EOF)
			made = 0;
		tape_sorter_release(&s);
	}
}

int
main(void)
{
	test_spill();
	test_empty();
	test_no_folder();
	test_no_memory();
	return done_testing();
}
