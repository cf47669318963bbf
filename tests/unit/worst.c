/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/worst.h"

#include "base/mem.h"
#include "record/coding.h"
#include "unit/tap.h"

static enum tape_status
offer(struct tape_worst *w, const char *id, int64_t latency, double tpot,
    struct tape_err *err)
{
	struct tape_result r;

	tape_schema_init(TAPE_KIND_RESULT, &r);
	r.run = 1;
	r.id = tape_str_of(id);
	r.start_ns = id[0];
	r.ok = 1;
	r.latency_ns = latency;
	r.tpot_ns = tpot;
	return tape_worst_offer(w, &r, err);
}

/* The ids that were kept, the worst first. */
static void
is_list(const struct tape_worst *w, const char *want, const char *what)
{
	struct tape_record rec;
	struct tape_buf got;
	struct tape_err err = { 0 };

	tape_record_init(&rec);
	tape_buf_init(&got, 1000);
	for (size_t i = 0; i < w->n; i++) {
		const struct tape_buf *line = &w->rows[i].line;

		if (tape_record_decode(&rec, line->data, line->len, &err) ==
		    TAPE_OK)
			(void)tape_buf_add(
			    &got, rec.u.result.id.p, rec.u.result.id.len);
	}
	is_str(got.data, want, "%s", what);
	tape_buf_release(&got);
	tape_record_release(&rec);
}

static void
test_order(void)
{
	struct tape_worst w;
	struct tape_err err = { 0 };
	static const struct {
		const char *id;
		int64_t latency;
	} all[] = { { "a", 5 }, { "b", 9 }, { "c", 1 }, { "d", 9 }, { "e", 7 },
		{ "f", 9 }, { "g", TAPE_ABSENT_I64 } };

	is_int(tape_worst_init(&w, 3, TAPE_METRIC_LATENCY, &err), TAPE_OK,
	    "three");
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		is_int(offer(&w, all[i].id, all[i].latency, 1, &err), TAPE_OK,
		    "offer %s", all[i].id);
		if (i == 1)
			is_list(&w, "ba", "two so far");
	}
	is_list(&w, "bdf", "the three worst, of equals those sent first");
	tape_worst_release(&w);
	is_int(tape_worst_init(&w, 3, TAPE_METRIC_LATENCY, &err), TAPE_OK,
	    "three again");
	for (size_t i = sizeof(all) / sizeof(*all); i > 0; i--)
		is_int(offer(&w, all[i - 1].id, all[i - 1].latency, 1, &err),
		    TAPE_OK, "offer %s backwards", all[i - 1].id);
	is_list(&w, "bdf", "the same when they come the other way round");
	tape_worst_release(&w);

	is_int(tape_worst_init(&w, 0, TAPE_METRIC_LATENCY, &err), TAPE_OK,
	    "no list");
	is_int(offer(&w, "z", 1, 1, &err), TAPE_OK, "takes anything");
	is_int(w.n, 0, "and keeps nothing");
	tape_worst_release(&w);
}

/* Where higher is better the lowest is the worst. */
static void
test_direction(void)
{
	struct tape_worst w;
	struct tape_err err = { 0 };

	is_int(tape_worst_init(&w, 1, TAPE_METRIC_TOKENS_PER_S_PER_USER, &err),
	    TAPE_OK, "by speed");
	is_int(offer(&w, "f", 1, 10, &err), TAPE_OK, "a fast one");
	is_int(offer(&w, "s", 1, 20, &err), TAPE_OK, "a slow one");
	is_int(offer(&w, "m", 1, 15, &err), TAPE_OK, "one between");
	is_list(&w, "s", "the slow one");
	tape_worst_release(&w);
}

static void
test_no_memory(void)
{
	struct tape_worst w;
	struct tape_err err = { 0 };
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t n = 0;

	while (st == TAPE_E_NOMEM && n++ < 20) {
		tape_err_clear(&err);
		(void)tape_mem_fail_at(n);
		st = tape_worst_init(&w, 2, TAPE_METRIC_LATENCY, &err);
		for (int i = 0; i < 3 && st == TAPE_OK; i++)
			st = offer(&w, "id", i, 1, &err);
		(void)tape_mem_fail_at(0);
		tape_worst_release(&w);
	}
	is_int(st, TAPE_OK, "after %" PRIu64 " failing allocations", n - 1);
	ok(n > 2, "it makes some");
}

int
main(void)
{
	test_order();
	test_direction();
	test_no_memory();
	return done_testing();
}
