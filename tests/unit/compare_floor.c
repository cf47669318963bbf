/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The noise of equal arms, between runs and within them. */
#include "engine/compare_floor.h"

#include "unit/compare_make.h"
#include "unit/compare_rows_make.h"

static const double even[] = { .01, -.01, .02, -.02 };

/* Runs of 100 requests and 10 s with 5 s between, as a pair has them. */
static void
open_floor(struct outcome *o, struct tape_compare_floor *f, double within)
{
	open_pairs(o, 4, TAPE_ABSENT_F64);
	set_row(o, ITL, even, 0);
	for (size_t i = 0; i < 4; i++) {
		struct tape_compare_pair *p = &o->design.pairs[i];

		p->matched = 100;
		o->rows[ITL].within[i] = within;
	}
	for (size_t i = 0; i < 8; i++) {
		struct tape_compare_run *r = &o->set.runs[i];

		r->n = 100;
		r->start_ns = (int64_t)(i / 2) * 100000000000 +
			      (o->design.pairs[i / 2].b_first == (i % 2 == 0)
				      ? 15000000000
				      : 0);
		r->end_ns = r->start_ns + 10000000000;
	}
	tape_compare_floor(&o->design, &o->rows[ITL], f);
}

static void
test_floor(void)
{
	struct tape_compare_floor f;
	struct outcome o;
	double sd = sqrt(.001 / 3);

	open_floor(&o, &f, sd * sd / 5);
	is_near(f.sd, sd, 1e-12, "sd of d");
	is_near(f.largest, .02, 1e-12, "its largest");
	is_near(f.run_share, .8, 1e-12, "four fifths are between runs");
	is_near(f.start_cost, 50, 1e-12, "5 s of 10 for 100 requests");
	is_near(f.requests, sqrt(50 * 100 / 4.), 1e-12,
	    "sqrt(c s_req^2 / s_run^2)");
	outcome_release(&o);
	open_floor(&o, &f, sd * sd * 2);
	is_near(f.run_share, 0, 0, "nothing is left between runs");
	ok(isinf(f.requests), "more requests always help");
	outcome_release(&o);
	open_floor(&o, &f, TAPE_ABSENT_F64);
	ok(isnan(f.run_share) && isnan(f.requests),
	    "not known where nothing is matched");
	outcome_release(&o);
}

/* What is known within a pair is what Tukey and McLaughlin have. */
static void
test_within(void)
{
	struct plan p = plan_base;
	struct outcome o;
	struct make m;

	plan_make(&p, &m);
	outcome_init(&o, TAPE_ABSENT_F64);
	outcome_load(&o, &m.buf, TAPE_COMPARE_ANY_ARM);
	outcome_judge(&o, false, 0);
	tape_buf_release(&m.buf);
	ok(o.rows[ITL].within[0] > 0 && o.rows[ITL].within[0] < 1e-4,
	    "a matched row knows its noise within pairs");
	ok(isnan(o.rows[OUTPUT].within[0]), "and no other");
	outcome_release(&o);
}

int
main(void)
{
	test_floor();
	test_within();
	return done_testing();
}
