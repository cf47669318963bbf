/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/stamp_runs.h"
#include "base/mem.h"
#include "record/schema.h"
#include "unit/tap.h"

static struct tape_err err;

static enum tape_status
note(struct tape_stamp_runs *r, int64_t number, const char *keep,
    const char *pointers)
{
	struct tape_run run;

	tape_err_clear(&err);
	tape_schema_init(TAPE_KIND_RUN, &run);
	run.run = number;
	run.keep = tape_str_of(keep);
	run.pointers = tape_str_of(pointers);
	return tape_stamp_runs_note(r, &run, &err);
}

static const char *
text_of(const struct tape_stamp_runs *r, int64_t run)
{
	const struct tape_api_pointers *p = tape_stamp_runs_pointers(r, run);

	return p == NULL ? "none" : p->v[TAPE_API_POINTER_TEXT];
}

static void
test_runs(void)
{
	struct tape_stamp_runs r = { 0 };

	ok(!tape_stamp_runs_bare(&r, 1), "nothing is known at first");
	is_str(text_of(&r, 1), "none", "no pointer either");
	is_int(note(&r, 1, NULL, "{\"text\":\"/a\"}"), TAPE_OK, "run 1");
	is_int(note(&r, 2, "times", NULL), TAPE_OK, "run 2");
	is_int(note(&r, 3, "raw", "{\"text\":\"/b\"}"), TAPE_OK, "run 3");
	is_int(note(&r, 1, NULL, "{\"text\":\"/a\"}"), TAPE_OK,
	    "run 1 at its end");
	is_int(note(&r, 2, "times", NULL), TAPE_OK, "run 2 at its end");
	is_str(text_of(&r, 1), "/a", "pointers of 1");
	is_str(text_of(&r, 2), "none", "2 has none");
	is_str(text_of(&r, 3), "/b", "those of 3");
	ok(!tape_stamp_runs_bare(&r, 1) && tape_stamp_runs_bare(&r, 2) &&
		!tape_stamp_runs_bare(&r, 3),
	    "of 2 there are times alone");
	is_int(note(&r, 4, NULL, "{\"text\":\"a\"}"), TAPE_E_FORMAT,
	    "a pointer that is none");
	is_str(text_of(&r, 4), "none", "is not taken");
	tape_stamp_runs_release(&r);
	is_str(text_of(&r, 1), "none", "all is forgotten");
	tape_stamp_runs_release(&r);
}

static void
test_memory(void)
{
	struct tape_stamp_runs r = { 0 };
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t n = 0;

	while (st == TAPE_E_NOMEM && n < 20) {
		(void)tape_mem_fail_at(++n);
		st = note(&r, 1, "times", "{\"text\":\"/\\u0061\"}");
		(void)tape_mem_fail_at(0);
		if (st != TAPE_OK)
			is_str(text_of(&r, 1), "none", "none is kept");
		else
			is_str(text_of(&r, 1), "/a", "it is kept");
		tape_stamp_runs_release(&r);
	}
	is_int(st, TAPE_OK, "a run is noted when memory is there");
	ok(n > 4, "and failed before in each of %d allocations", (int)n - 1);
}

int
main(void)
{
	test_runs();
	test_memory();
	return done_testing();
}
