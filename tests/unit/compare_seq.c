/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking while pairs are added: plans, bounds, what is found and when. */
#include "engine/compare_seq.h"

#include "engine/compare_args.h"
#include "engine/compare_looked.h"
#include "unit/compare_make.h"
#include "unit/compare_rows_make.h"

/* All slower by 5 %, hardly any noise. */
static const double slow[] = { .050, .051, .049, .052, .048, .050, .051, .049,
	.050, .052, .048, .050 };
static const double even[] = { .001, -.001, .002, -.002, .001, -.001, .002,
	-.002, .001, -.001, .002, -.002 };

static void
anytime(struct outcome *o, const double *d, size_t k, double margin)
{
	open_pairs(o, k, margin);
	set_row(o, ITL, d, 0);
	o->opts.seq.plan = TAPE_COMPARE_ANYTIME;
	judge(o);
}

static void
test_anytime(void)
{
	struct tape_stat_eproc e;
	struct outcome o;

	anytime(&o, slow, 5, 0.02);
	is_int(o.verdict.progress, TAPE_COMPARE_ADD_PAIRS,
	    "5 pairs cannot end it, whatever they are");
	is_int(o.verdict.rows[ITL].status, TAPE_COMPARE_UNDECIDED,
	    "no loss yet, nor a possible one");
	outcome_release(&o);
	anytime(&o, slow, 8, 0.02);
	make_must(tape_stat_eproc_init(&e, log1p(0.02), NULL));
	for (int i = 0; i < 8; i++)
		make_must(tape_stat_eproc_add(&e, slow[i], NULL));
	is_near(o.verdict.rows[ITL].f.p, tape_stat_eproc_p(&e), 1e-12,
	    "p is that of the e-process");
	is_int(o.verdict.rows[ITL].status, TAPE_COMPARE_LOSS, "8: a loss");
	is_int(o.verdict.progress, TAPE_COMPARE_DECIDED, "which ends it");
	ok(isnan(o.verdict.rows[ITL].f.mde_ratio),
	    "no power of a test that was not made");
	outcome_release(&o);
	anytime(&o, even, 12, 0.02);
	is_int(o.verdict.rows[ITL].status, TAPE_COMPARE_EQUIVALENT,
	    "a sequence within the margin is equivalent");
	is_int(o.verdict.progress, TAPE_COMPARE_DECIDED, "which ends it, too");
	outcome_release(&o);
	anytime(&o, even, 12, TAPE_ABSENT_F64);
	is_int(o.verdict.progress, TAPE_COMPARE_ADD_PAIRS,
	    "but not without a margin");
	o.opts.seq.max_pairs = 12;
	judge(&o);
	is_int(o.verdict.progress, TAPE_COMPARE_EXHAUSTED,
	    "until there is no pair left");
	outcome_release(&o);
}

/* E has to reach so many times more as there are rows. */
static void
test_rows(void)
{
	struct outcome o;

	open_pairs(&o, 7, 0.02);
	set_row(&o, ITL, slow, 0);
	o.opts.seq.plan = TAPE_COMPARE_ANYTIME;
	judge(&o);
	is_int(o.verdict.rows[ITL].status, TAPE_COMPARE_LOSS,
	    "7 pairs find one row");
	set_row(&o, TTFT, even, 0);
	set_row(&o, LATENCY, even, 0);
	set_row(&o, OUTPUT, even, 0);
	judge(&o);
	is_int(o.verdict.family, 4, "of four rows");
	is_int(o.verdict.rows[ITL].status, TAPE_COMPARE_POSSIBLE_LOSS,
	    "the row is only possibly lost");
	o.opts.primary = 1U << ITL;
	judge(&o);
	is_int(o.verdict.rows[ITL].status, TAPE_COMPARE_LOSS,
	    "unless it alone was to decide");
	is_int(o.verdict.family, 1, "of one row");
	o.opts.primary = 1U << TTFT;
	set_row(&o, TTFT, slow, 0);
	judge(&o);
	is_int(o.verdict.rows[ITL].status, TAPE_COMPARE_POSSIBLE_LOSS,
	    "what is not primary is never found, but named");
	outcome_release(&o);
}

static void
check_bounds(const char *looks, enum tape_stat_spending spending,
    const double want[3], double near)
{
	struct tape_compare_walk w;
	struct tape_compare_look look;
	struct outcome o;

	open_pairs(&o, 4, TAPE_ABSENT_F64);
	set_row(&o, ITL, slow, 0);
	o.opts.seq.spending = spending;
	make_must(tape_compare_parse_looks(looks, &o.opts.seq, NULL));
	make_must(tape_compare_walk_open(&w, o.rows, 4, &o.opts, NULL));
	for (int i = 0; i < 3; i++)
		is_near(w.bound[i], want[i], near, "%s look %d", looks, i + 1);
	is_int(tape_compare_walk_next(&w, &look, NULL), TAPE_EOF,
	    "4 pairs allow no look");
	outcome_release(&o);
}

static void
test_planned(void)
{
	static const double obf[] = { 1.5e-5, .0030, .0490 };
	static const double pocock[] = { .0179, .0179, .0260 };
	struct outcome o;

	check_bounds("5,10,20", TAPE_STAT_OBRIEN_FLEMING, obf, 0.02);
	check_bounds("5,10,20", TAPE_STAT_POCOCK, pocock, 0.02);
	open_pairs(&o, 9, 0.02);
	set_row(&o, ITL, slow, 0);
	o.opts.seq.spending = TAPE_STAT_POCOCK;
	make_must(tape_compare_parse_looks("8,12", &o.opts.seq, NULL));
	judge(&o);
	is_near(o.verdict.rows[ITL].f.p, 1.0 / 128, 1e-12,
	    "9 pairs: p of the look at 8");
	is_int(o.verdict.rows[ITL].status, TAPE_COMPARE_LOSS, "found there");
	set_row(&o, ITL, even, 0);
	judge(&o);
	is_int(o.verdict.progress, TAPE_COMPARE_ADD_PAIRS, "or else go on");
	is_int(o.verdict.rows[ITL].status, TAPE_COMPARE_UNDECIDED,
	    "not equivalent: only the last look may say so");
	outcome_release(&o);
	open_pairs(&o, 12, 0.02);
	set_row(&o, ITL, even, 0);
	make_must(tape_compare_parse_looks("8,12", &o.opts.seq, NULL));
	judge(&o);
	is_int(o.verdict.rows[ITL].status, TAPE_COMPARE_EQUIVALENT,
	    "which it does");
	outcome_release(&o);
}

static void
refuses(const char *looks)
{
	struct tape_compare_seq seq = { .plan = TAPE_COMPARE_FIXED };

	is_int(tape_compare_parse_looks(looks, &seq, NULL), TAPE_E_USAGE,
	    "looks '%s' are refused", looks);
	is_int(seq.plan, TAPE_COMPARE_FIXED, "and change nothing");
}

static void
test_args(void)
{
	uint64_t rows = 0;

	refuses("");
	refuses("2,5");
	refuses("8,8");
	refuses("8,x");
	refuses("8,");
	is_int(tape_compare_parse_rows("itl,ttft-p99", &rows, NULL), TAPE_OK,
	    "rows by name");
	is_int((int64_t)rows, 1 << ITL | 1 << TTFT_P99, "are these");
	is_int(tape_compare_parse_rows("tpot", &rows, NULL), TAPE_E_USAGE,
	    "and no other");
}

/* Which changes make another plan. */
static void
test_hash(void)
{
	struct tape_compare_opts a = { .alpha = 0.05, .margin_ratio = 0.02 };
	struct tape_compare_opts b;
	char x[TAPE_COMPARE_PLAN_HASH], y[TAPE_COMPARE_PLAN_HASH];

	a.seq.plan = TAPE_COMPARE_ANYTIME;
	b = a;
	b.seq.max_pairs = 30;
	b.seed = 9;
	(void)tape_compare_plan_hash(&a, x);
	is_str(tape_compare_plan_hash(&b, y), x,
	    "where it ends does not change what may be found");
	b.margin_ratio = 0.03;
	ok(strcmp(tape_compare_plan_hash(&b, y), x) != 0, "the scale does");
	b = a;
	b.alpha = 0.01;
	ok(strcmp(tape_compare_plan_hash(&b, y), x) != 0, "alpha does");
	b = a;
	b.primary = 1;
	ok(strcmp(tape_compare_plan_hash(&b, y), x) != 0, "and the rows do");
}

static void
test_exploratory(void)
{
	static const double some[] = { .01, .012, .009, .011, -.0002, .01,
		.012 };
	struct outcome o;

	open_pairs(&o, 7, TAPE_ABSENT_F64);
	set_row(&o, ITL, some, 0);
	set_row(&o, TTFT, slow, 0);
	o.opts.exploratory = true;
	judge(&o);
	is_near(o.verdict.rows[TTFT].p_adjusted, 2.0 / 64, 1e-12,
	    "Benjamini-Hochberg: twice the smaller p");
	is_near(o.verdict.rows[ITL].p_adjusted, 4.0 / 128, 1e-12,
	    "and the larger p itself");
	outcome_release(&o);
}

int
main(void)
{
	test_anytime();
	test_rows();
	test_planned();
	test_args();
	test_hash();
	test_exploratory();
	return done_testing();
}
