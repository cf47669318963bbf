/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statuses and verdicts of rows that are given by their d alone. */
#include "engine/compare_judge.h"

#include "unit/compare_make.h"
#include "unit/compare_rows_make.h"

static enum tape_compare_status
status(const struct outcome *o, int row)
{
	return o->verdict.rows[row].status;
}

static bool
says(const struct outcome *o, const char *text)
{
	return strstr(o->text.data, text) != NULL;
}

static void
judge_row(struct outcome *o, const double *d, size_t k, double margin)
{
	open_pairs(o, k, margin);
	set_row(o, ITL, d, 0);
	judge(o);
}

static void
test_statuses(void)
{
	/* All slower: flip p 1/32; t p < .05. */
	static const double slow6[] = { .01, .02, .03, .04, .05, .06 };
	/* One pair faster: flip p 1/16 > .05, but t p = .016. */
	static const double torn6[] = { .05, .06, .05, .06, .05, -.001 };
	/* t p < .05, yet one sign differs. */
	static const double torn5[] = { .05, .06, .05, .06, -.001 };
	static const double fast5[] = { -.05, -.06, -.05, -.06, .001 };
	static const double even6[] = { .001, -.001, .002, -.002, .001, -.001 };
	struct outcome o;

	judge_row(&o, slow6, 6, TAPE_ABSENT_F64);
	is_near(o.verdict.rows[ITL].f.p, 1.0 / 32, 1e-12, "6 alike: p .03125");
	is_int(status(&o, ITL), TAPE_COMPARE_LOSS, "a loss");
	is_int(o.verdict.family, 1, "of one row");
	is_near(o.verdict.by_chance, 0.025, 1e-12, "half of alpha by chance");
	outcome_release(&o);
	judge_row(&o, torn6, 6, TAPE_ABSENT_F64);
	is_near(o.verdict.rows[ITL].f.p, 1.0 / 16, 1e-12, "5 of 6: p .0625");
	is_int(status(&o, ITL), TAPE_COMPARE_POSSIBLE_LOSS,
	    "but an interval wholly on the slow side is a possible loss");
	outcome_release(&o);
	judge_row(&o, torn6, 6, TAPE_ABSENT_F64);
	o.opts.alpha = 0.001;
	judge(&o);
	is_int(status(&o, ITL), TAPE_COMPARE_POSSIBLE_LOSS,
	    "whatever alpha is, the interval being one of 95 %%");
	is_near(o.verdict.beyond, 0.05, 1e-12, "which is what chance counts");
	outcome_release(&o);
	judge_row(&o, torn5, 5, TAPE_ABSENT_F64);
	ok(o.verdict.rows[ITL].f.p < 0.05, "5 pairs, t: p below .05");
	is_int(status(&o, ITL), TAPE_COMPARE_POSSIBLE_LOSS,
	    "without the same sign everywhere no loss, but a possible one");
	outcome_release(&o);
	judge_row(&o, fast5, 5, TAPE_ABSENT_F64);
	is_int(status(&o, ITL), TAPE_COMPARE_UNDECIDED,
	    "and never a win: that needs all signs");
	outcome_release(&o);
	judge_row(&o, even6, 6, 0.02);
	is_int(status(&o, ITL), TAPE_COMPARE_EQUIVALENT, "within 2 %%");
	is_near(o.verdict.rows[ITL].f.tost_p, 1.0 / 64, 1e-12,
	    "by one-sided flips");
	outcome_release(&o);
	judge_row(&o, even6, 6, 0.0005);
	is_int(status(&o, ITL), TAPE_COMPARE_UNDECIDED, "not within .05 %%");
	outcome_release(&o);
	judge_row(&o, slow6, 6, 0.5);
	is_int(status(&o, ITL), TAPE_COMPARE_LOSS, "a loss within the margin");
	ok(o.verdict.rows[ITL].flags[TAPE_COMPARE_FLAG_WITHIN],
	    "stays one, and is flagged");
	outcome_release(&o);
}

/* A possible loss stands in the way of a win, whatever the margin. */
static void
test_possible_loss(void)
{
	static const double torn6[] = { .05, .06, .05, .06, .05, -.001 };
	static const double fast6[] = { -.1, -.2, -.1, -.2, -.1, -.2 };
	struct outcome o;

	open_pairs(&o, 6, 0.5);
	set_row(&o, ITL, torn6, 0);
	set_row(&o, TTFT, fast6, 0);
	judge(&o);
	is_int(status(&o, TTFT), TAPE_COMPARE_WIN, "a row wins");
	is_int(status(&o, ITL), TAPE_COMPARE_POSSIBLE_LOSS, "one may lose");
	ok(o.verdict.rows[ITL].noninferior, "by less than the margin");
	is_int(o.verdict.overall, TAPE_COMPARE_ALL_WIN_UNPROVEN, "unproven");
	o.report = (struct tape_compare_report){ &o.set, &o.design, o.rows,
		&o.verdict, &o.notes, &o.opts, { NULL, 0 }, NULL, NULL };
	tape_compare_print_overall(&o.report, &o.text);
	ok(says(&o, "B may lose in decode (itl +4.6 %) and wins in prefill "
		    "(ttft -13.9 %)"),
	    "both are named: %s", o.text.data);
	set_row(&o, ITL, fast6, 0);
	judge(&o);
	is_int(o.verdict.overall, TAPE_COMPARE_ALL_WIN, "if both win, B does");
	o.rows[GAP].empty = false; /* some runs have it, some lack it */
	judge(&o);
	is_int(o.verdict.overall, TAPE_COMPARE_ALL_WIN_UNPROVEN,
	    "a row that cannot be compared leaves a win unproven");
	outcome_release(&o);
}

/* Which side of the margin is the bad one hangs on the metric. */
static void
test_noninferior(void)
{
	static const double up[] = { .05, .06, .05, .06, .05, .06 };
	static const double down[] = { -.05, -.06, -.05, -.06, -.05, -.06 };
	static const double even[] = { .001, -.001, .002, -.002, .001, -.001 };
	struct outcome o;

	open_pairs(&o, 6, 0.02);
	set_row(&o, ITL, up, 0);
	set_row(&o, OUTPUT, up, 0);
	judge(&o);
	ok(!o.verdict.rows[ITL].noninferior, "more time is not as good");
	ok(o.verdict.rows[OUTPUT].noninferior, "more throughput is");
	set_row(&o, ITL, down, 0);
	set_row(&o, OUTPUT, down, 0);
	judge(&o);
	ok(o.verdict.rows[ITL].noninferior, "less time is as good");
	ok(!o.verdict.rows[OUTPUT].noninferior, "less throughput is not");
	set_row(&o, ITL, even, 0);
	set_row(&o, OUTPUT, even, 0);
	judge(&o);
	is_int(o.verdict.overall, TAPE_COMPARE_ALL_EQUIVALENT, "all alike");
	o.rows[GAP].empty = false;
	judge(&o);
	is_int(o.verdict.overall, TAPE_COMPARE_ALL_UNDECIDED,
	    "unless a row cannot be compared");
	outcome_release(&o);
}

/* A is always first, and what d shows is the drift's: equal, while B differs
   by as much as a run drifts. */
static void
test_hidden_effect(void)
{
	static const double even[] = { .001, -.001, .002, -.002, .001, -.001 };
	struct outcome o;

	open_pairs(&o, 6, 0.02);
	set_row(&o, ITL, even, 0.0);
	set_row(&o, OUTPUT, even, 0.0);
	judge(&o);
	is_int(status(&o, ITL), TAPE_COMPARE_EQUIVALENT, "equivalent");
	o.design.a_first = 6;
	judge(&o);
	is_int(status(&o, ITL), TAPE_COMPARE_EQUIVALENT,
	    "without drift also where A is always first");
	ok(o.verdict.rows[ITL].noninferior &&
		o.verdict.rows[OUTPUT].noninferior,
	    "and as good");
	set_row(&o, ITL, even, -0.03);
	set_row(&o, OUTPUT, even, 0.03);
	judge(&o);
	is_near(o.verdict.rows[ITL].f.drift_ratio, exp(0.03), 0.001,
	    "B is 3 %% slower once the drift is out");
	is_int(status(&o, ITL), TAPE_COMPARE_UNDECIDED, "withheld");
	ok(o.verdict.rows[ITL].flags[TAPE_COMPARE_FLAG_WITHHELD],
	    "and flagged");
	ok(!o.verdict.rows[ITL].noninferior, "not shown to be as good");
	is_int(status(&o, OUTPUT), TAPE_COMPARE_UNDECIDED,
	    "as is a lower throughput");
	ok(!o.verdict.rows[OUTPUT].noninferior, "not shown either");
	outcome_release(&o);
}

/* The text of the nth note of a code, or "". */
static const char *
noted(const struct outcome *o, const char *code, size_t n)
{
	for (size_t i = 0; i < o->notes.n; i++)
		if (strcmp(o->notes.v[i].code, code) == 0 && n-- == 0)
			return o->notes.v[i].text;
	return "";
}

static const double flat[] = { .001, .002, -.001, -.002, .002, .001, -.002,
	-.001 };

static void
test_trend(void)
{
	static const double rising[] = { -.03, -.02, -.01, .0, .01, .02, .03,
		.04 };
	static const double hardly[] = { .03, .01, .02, .05, .04, .08, .06,
		.07 };
	struct outcome o;

	open_pairs(&o, 8, 0.02);
	set_row(&o, LATENCY, rising, 0);
	judge(&o);
	ok(outcome_noted(&o, TAPE_COMPARE_WARN, "trend"), "a trend is seen");
	set_row(&o, LATENCY, hardly, 0);
	set_row(&o, ITL, rising, 0);
	judge(&o);
	is_str(noted(&o, "trend", 0),
	    "B/A of latency goes up over the session "
	    "(p=0.031)",
	    "at .05 in latency");
	is_str(noted(&o, "trend", 1),
	    "B/A in decode itl goes up over the "
	    "session (p=5e-05)",
	    "and a clear one in another row");
	set_row(&o, LATENCY, flat, 0);
	set_row(&o, ITL, hardly, 0);
	judge(&o);
	ok(!outcome_noted(&o, -1, "trend"), "where .05 is not enough");
	outcome_release(&o);
}

/* B is slower where it comes second, in prefill only. */
static void
test_order(void)
{
	static const double second[] = { .021, -.02, .019, -.019, .02, -.021,
		.02, -.02 };
	struct outcome o;

	open_pairs(&o, 8, 0.02);
	set_row(&o, LATENCY, flat, 0);
	set_row(&o, TTFT, second, 0);
	judge(&o);
	ok(strstr(noted(&o, "order", 0), ": none") != NULL, "not in latency");
	ok(strstr(noted(&o, "order", 1), "order matters in prefill ttft: "
					 "position 2 is 2.0 % slower") != NULL,
	    "but in ttft: %s", noted(&o, "order", 1));
	ok(noted(&o, "order", 2)[0] == '\0', "of the others nothing is said");
	outcome_release(&o);
}

/* Beyond 40 pairs signs are drawn, for each row its own. */
static void
test_drawn(void)
{
	double d[42];
	struct outcome o;

	for (int i = 0; i < 42; i++)
		d[i] = 0.01 * ((i * 29) % 42 - 18);
	open_pairs(&o, 42, 0.02);
	set_row(&o, ITL, d, 0);
	set_row(&o, GAP, d, 0);
	judge(&o);
	is_near(o.verdict.rows[ITL].f.p_min, 1e-5, 1e-12, "99,999 of them");
	is_near(o.verdict.rows[ITL].f.p, o.verdict.rows[GAP].f.p, 0.05,
	    "equal rows have about the same p");
	ok(o.verdict.rows[ITL].f.p != o.verdict.rows[GAP].f.p,
	    "from vectors of their own");
	outcome_release(&o);
}

int
main(void)
{
	test_statuses();
	test_possible_loss();
	test_noninferior();
	test_hidden_effect();
	test_trend();
	test_order();
	test_drawn();
	return done_testing();
}
