/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From runs to a verdict: statuses, refusals, warnings, the printed table. */
#include "unit/compare_make.h"

#include "base/mem.h"

static enum tape_compare_status
status(const struct outcome *o, int row)
{
	return o->verdict.rows[row].status;
}

static double
ratio(const struct outcome *o, int row)
{
	return o->verdict.rows[row].f.ratio;
}

static bool
says(const struct outcome *o, const char *text)
{
	return strstr(o->text.data, text) != NULL;
}

static void
run_plan(struct outcome *o, const struct plan *p, double margin)
{
	outcome_of_plan(o, p, margin, 0);
	is_int(o->st, TAPE_OK, "compared %s", o->err.text);
}

static void
test_slower_decode(void)
{
	struct plan p = plan_base;
	struct outcome o;

	p.itl_effect = 1.05;
	run_plan(&o, &p, 0.02);
	is_int(o.design.k, 8, "eight pairs");
	is_int(o.design.matched, 30, "all prompts matched");
	is_int(status(&o, ITL), TAPE_COMPARE_LOSS, "decode is lost");
	is_near(ratio(&o, ITL), 1.05, 0.01, "by 5 %%");
	is_near(o.verdict.rows[ITL].f.p, 2.0 / 256, 1e-12, "exact sign flip");
	is_near(o.verdict.rows[ITL].f.p_min, 2.0 / 256, 1e-12, "its least p");
	ok(status(&o, TTFT) != TAPE_COMPARE_LOSS &&
		status(&o, TTFT) != TAPE_COMPARE_POSSIBLE_LOSS,
	    "prefill is not");
	is_int(status(&o, OUTPUT), TAPE_COMPARE_LOSS,
	    "a lower throughput is a loss too");
	ok(ratio(&o, OUTPUT) < 1, "though its ratio is below 1");
	is_int(o.verdict.overall, TAPE_COMPARE_ALL_LOSS, "overall a loss");
	ok(says(&o, "overall: LOSS.  B loses in decode (itl +"), "it is said");
	ok(says(&o, "output -"), "with the sign of the metric");
	ok(says(&o, ".  Phases are not averaged.\n"), "nothing is averaged");
	ok(!says(&o, "same"), "and never says same");
	ok(says(&o, "exact sign flip, max-T over 9 rows, alpha 0.05, margin 2 "
		    "%\n"),
	    "the method is printed");
	for (size_t i = 0; i < o.design.k; i++)
		is_near(o.rows[ITL].level[1][i] - o.rows[ITL].level[0][i],
		    o.rows[ITL].d[i], 1e-9, "pair %zu: levels and d agree", i);
	is_near(o.rows[ITL].value[1] / o.rows[ITL].value[0], ratio(&o, ITL),
	    1e-12, "as do the values printed and the ratio");
	outcome_release(&o);
}

/* Swapping the arms turns ratio and interval over, exactly. */
static void
test_swap(void)
{
	struct plan p = plan_base;
	struct outcome x, y;

	p.itl_effect = 1.02;
	run_plan(&x, &p, 0.02);
	p.swap = true;
	run_plan(&y, &p, 0.02);
	for (size_t i = 0; i < FAILED; i++) {
		const struct tape_compare_figures *f = &x.verdict.rows[i].f;
		const struct tape_compare_figures *g = &y.verdict.rows[i].f;

		is_near(g->ratio, 1 / f->ratio, 1e-12, "row %zu: ratio", i);
		is_near(g->ci.lo, 1 / f->ci.hi, 1e-12, "row %zu: interval", i);
		is_near(g->ci_exact.lo, 1 / f->ci_exact.hi, 1e-12,
		    "row %zu: exact interval", i);
		is_near(g->hl_ratio, 1 / f->hl_ratio, 1e-12, "row %zu: HL", i);
		is_near(g->hl_ci.lo, 1 / f->hl_ci.hi, 1e-12,
		    "row %zu: HL interval", i);
		is_near(g->drift_ratio, 1 / f->drift_ratio, 1e-9,
		    "row %zu: without drift", i);
		is_near(g->p, f->p, 1e-12, "row %zu: p kept", i);
		is_near(y.verdict.rows[i].p_adjusted,
		    x.verdict.rows[i].p_adjusted, 1e-12, "row %zu: p.adj", i);
		is_near(g->mde_ratio, f->mde_ratio, 1e-9, "row %zu: mde", i);
	}
	is_int(status(&x, ITL), TAPE_COMPARE_LOSS, "a loss");
	is_int(status(&y, ITL), TAPE_COMPARE_WIN, "becomes a win");
	is_int(status(&x, OUTPUT), TAPE_COMPARE_LOSS, "of throughput as well");
	is_int(status(&y, OUTPUT), TAPE_COMPARE_WIN, "becomes a win");
	outcome_release(&x);
	outcome_release(&y);
}

static void
test_order_of_lines(void)
{
	struct plan p = plan_base;
	struct outcome x, y;

	run_plan(&x, &p, 0.02);
	p.reversed = true;
	run_plan(&y, &p, 0.02);
	is_str(
	    y.text.data, x.text.data, "the order of results changes nothing");
	outcome_release(&x);
	outcome_release(&y);
}

static void
test_equal(void)
{
	struct plan p = plan_base;
	struct outcome o;

	p.noise = 0;
	run_plan(&o, &p, 0.02);
	is_near(ratio(&o, OUTPUT), 1, 1e-12, "ratio 1");
	is_near(o.verdict.rows[OUTPUT].f.p, 1, 1e-12, "p 1");
	is_int(status(&o, OUTPUT), TAPE_COMPARE_EQUIVALENT,
	    "equivalent within the margin");
	is_int(
	    status(&o, FAILED), TAPE_COMPARE_EQUIVALENT, "as are no failures");
	is_int(o.verdict.overall, TAPE_COMPARE_ALL_EQUIVALENT, "as is all");
	ok(says(&o, "overall: EQUIVALENT.  All rows are within the margin."),
	    "it is said");
	outcome_release(&o);
	run_plan(&o, &p, TAPE_ABSENT_F64);
	is_int(status(&o, OUTPUT), TAPE_COMPARE_UNDECIDED,
	    "without a margin nothing is equivalent");
	is_int(o.verdict.overall, TAPE_COMPARE_ALL_UNDECIDED, "nor is all");
	ok(says(&o, "Neither a loss nor a win was shown, and none excluded."),
	    "it is said");
	ok(!says(&o, "same") && !says(&o, "o difference"),
	    "never that they are alike");
	outcome_release(&o);
}

/* Wins need every other row to be shown not to lose. */
static void
test_win(void)
{
	struct plan p = plan_base;
	struct outcome o;

	p.itl_effect = 0.95;
	p.noise = 0.001;
	run_plan(&o, &p, 0.02);
	is_int(status(&o, ITL), TAPE_COMPARE_WIN, "decode wins");
	is_int(o.verdict.overall, TAPE_COMPARE_ALL_WIN, "so does B");
	ok(says(&o, "overall: WIN.  B wins in decode (itl -"), "it is said");
	outcome_release(&o);
	run_plan(&o, &p, TAPE_ABSENT_F64);
	is_int(o.verdict.overall, TAPE_COMPARE_ALL_WIN_UNPROVEN,
	    "but unproven without a margin");
	ok(says(&o, "was not tested (--margin)"), "it is said");
	outcome_release(&o);
	p.noise = 0.03;
	p.itl_effect = 0.7;
	run_plan(&o, &p, 0.02);
	is_int(status(&o, TTFT), TAPE_COMPARE_UNDECIDED, "prefill undecided");
	ok(says(&o, "undecided (sees >= "), "with what could be seen");
	is_int(o.verdict.overall, TAPE_COMPARE_ALL_WIN_UNPROVEN,
	    "unproven too when a row is undecided");
	ok(says(&o, "That no other row loses is not shown."), "it is said");
	outcome_release(&o);
	p.noise = 0.001;
	p.itl_effect = 0.95;
	p.ttft_effect = 1.05;
	run_plan(&o, &p, 0.02);
	is_int(o.verdict.overall, TAPE_COMPARE_ALL_MIXED, "a loss beside it");
	ok(says(&o, "overall: MIXED.  B loses in prefill (ttft +"), "loses");
	ok(says(&o, ") and wins in decode (itl -"), "and wins");
	outcome_release(&o);
}

static void
test_few_pairs(void)
{
	struct plan p = plan_base;
	struct outcome o;

	p.itl_effect = 1.5;
	for (p.pairs = 1; p.pairs <= 2; p.pairs++) {
		run_plan(&o, &p, 0.02);
		is_int(o.verdict.overall, TAPE_COMPARE_ALL_NONE,
		    "%d pairs: no verdict", p.pairs);
		ok(!isnan(ratio(&o, ITL)), "but values");
		ok(isnan(o.verdict.rows[ITL].f.p), "no p");
		ok(isnan(o.verdict.rows[ITL].f.ci.lo), "no interval");
		ok(says(&o, "overall: NO VERDICT.  No comparison possible"),
		    "it is said");
		ok(says(&o, p.pairs == 1 ? "refused: one pair cannot separate "
					   "A/B from run-to-run noise"
					 : "refused: two pairs are too few"),
		    "and why");
		outcome_release(&o);
	}
	p.pairs = 4;
	p.noise = 0.001;
	run_plan(&o, &p, 0.02);
	is_str(o.verdict.rows[ITL].f.test, "paired-t", "four pairs: t");
	is_int(
	    status(&o, ITL), TAPE_COMPARE_LOSS, "which shows a large effect");
	ok(outcome_noted(&o, TAPE_COMPARE_WARN, "provisional"),
	    "and is provisional");
	ok(says(&o, "paired t, Holm over 9 rows"), "the method is printed");
	outcome_release(&o);
	p.pairs = 0;
	run_plan(&o, &p, 0.02);
	ok(outcome_noted(&o, TAPE_COMPARE_REFUSE, "no-pairs"),
	    "nothing at all is refused, too");
	outcome_release(&o);
}

static void
other_model(struct tape_run *r)
{
	r->model = tape_str_of("other");
}

static void
other_load(struct tape_run *r)
{
	r->rate_per_s = 7;
}

static void
other_trace(struct tape_run *r)
{
	r->trace_hash = tape_str_of("0123456789abcdef");
}

static void
other_extra(struct tape_run *r)
{
	r->extra = tape_str_of("{\"temperature\":1}");
}

static void
other_api(struct tape_run *r)
{
	r->stream = 0;
}

static void
other_keep(struct tape_run *r)
{
	r->keep = tape_str_of("times");
}

static void
other_warmup(struct tape_run *r)
{
	r->warmup = 9;
}

static void
other_retries(struct tape_run *r)
{
	r->retry_max = 3;
}

static void
other_cancels(struct tape_run *r)
{
	r->cancel_ratio = 0.1;
	r->cancel_after_ns = 5;
}

static void
other_requests(struct tape_run *r)
{
	r->requests = 31;
}

static void
other_salt(struct tape_run *r)
{
	r->salt = 77;
}

static void
later_model(struct tape_run *r)
{
	if (r->round > 4)
		r->model = tape_str_of("other");
}

static void
test_conditions(void)
{
	static const struct {
		void (*change)(struct tape_run *r);
		unsigned vary;
		const char *name;
	} cases[] = {
		{ other_model, TAPE_COMPARE_VARY_MODEL,
		    "in model (A: m; B: other)" },
		{ other_load, TAPE_COMPARE_VARY_LOAD,
		    "in load (A: closed loop, concurrency 4, 0/s; B: closed "
		    "loop, concurrency 4, 7/s)" },
		{ other_retries, TAPE_COMPARE_VARY_LOAD,
		    "concurrency 4, 0/s, retries up to 3)" },
		{ other_cancels, TAPE_COMPARE_VARY_LOAD,
		    "concurrency 4, 0/s, some cancelled)" },
		{ other_trace, TAPE_COMPARE_VARY_TRACE, "in trace (A: none" },
		{ other_requests, TAPE_COMPARE_VARY_TRACE, "31 requests" },
		{ other_salt, TAPE_COMPARE_VARY_TRACE, "salt 77" },
		{ other_extra, TAPE_COMPARE_VARY_EXTRA, "in extra (A: none" },
		{ other_api, TAPE_COMPARE_VARY_API, "in api (A: chat" },
		{ other_keep, TAPE_COMPARE_VARY_API, ", kept as times)" },
		{ other_warmup, TAPE_COMPARE_VARY_WARMUP, "in warmup (A: " },
	};
	struct plan p = plan_base;
	struct outcome o;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		p.change_b = cases[i].change;
		run_plan(&o, &p, 0.02);
		ok(outcome_noted(&o, TAPE_COMPARE_REFUSE, "conditions"),
		    "other conditions are refused (%zu)", i);
		is_int(o.verdict.overall, TAPE_COMPARE_ALL_NONE, "no verdict");
		ok(says(&o, cases[i].name), "they are named: %s",
		    cases[i].name);
		outcome_release(&o);
		outcome_of_plan(&o, &p, 0.02, cases[i].vary);
		ok(!o.notes.refused, "unless that is what is compared");
		outcome_release(&o);
	}
	p.change_b = later_model;
	outcome_of_plan(&o, &p, 0.02, TAPE_COMPARE_VARY_MODEL);
	ok(o.notes.refused && says(&o, "model changes between the rounds"),
	    "what varies may not change between rounds");
	outcome_release(&o);
}

static void
read_to_its_end(struct tape_run *r)
{
	r->trace_hash = tape_str_of("0123456789abcdef");
	r->requests = 30;
	r->rate_per_s = 7;
}

static void
out_of_time(struct tape_run *r)
{
	r->stop = tape_str_of("duration");
}

/* A run that did not come to the end of a long trace does not know it. */
static void
test_unread(void)
{
	struct plan p = plan_base;
	struct outcome o;

	p.change_a = read_to_its_end;
	p.change_b = out_of_time;
	run_plan(&o, &p, 0.02);
	ok(!outcome_noted(&o, TAPE_COMPARE_REFUSE, "conditions"),
	    "what only one of two knows is no difference");
	outcome_release(&o);
	p.change_b = NULL;
	run_plan(&o, &p, 0.02);
	ok(outcome_noted(&o, TAPE_COMPARE_REFUSE, "conditions"),
	    "but is one for a run that was complete");
	outcome_release(&o);
}

static void
hurried(struct tape_run *r)
{
	if (r->round == 2)
		r->position = 3;
}

static void
test_refusals(void)
{
	struct plan p = plan_base;
	struct outcome o;

	p.itl_effect = 1.5;
	p.blocked = true;
	run_plan(&o, &p, 0.02);
	is_int(o.verdict.overall, TAPE_COMPARE_ALL_NONE,
	    "all A, then all B: no verdict");
	ok(outcome_noted(&o, TAPE_COMPARE_REFUSE, "not-interleaved"),
	    "since they are not interleaved");
	ok(!o.design.interleaved, "the design says so");
	outcome_release(&o);
	p.swap = true;
	run_plan(&o, &p, 0.02);
	ok(outcome_noted(&o, TAPE_COMPARE_REFUSE, "not-interleaved"),
	    "nor are all B, then all A");
	outcome_release(&o);
	p = plan_base;
	p.skip_b = 3;
	run_plan(&o, &p, 0.02);
	ok(outcome_noted(&o, TAPE_COMPARE_REFUSE, "missing-arm"),
	    "a round lacks an arm");
	outcome_release(&o);
	p.skip_b = 8;
	run_plan(&o, &p, 0.02);
	ok(!o.notes.refused &&
		outcome_noted(&o, TAPE_COMPARE_WARN, "missing-arm"),
	    "the last one is left out");
	is_int(o.design.k, 7, "of the pairs");
	ok(says(&o, "round 8 has no run of arm B: it is left out"), "by name");
	outcome_release(&o);
	p = plan_base;
	p.change_b = hurried;
	run_plan(&o, &p, 0.02);
	ok(outcome_noted(&o, TAPE_COMPARE_REFUSE, "clock-backward"),
	    "a clock that contradicts the positions is refused");
	outcome_release(&o);
}

/* A drift that always meets A first is not taken for an effect, nor for the
   lack of one. */
static void
test_drift(void)
{
	struct plan p = plan_base;
	struct outcome o;

	p.a_first = true;
	p.drift = 0.01;
	p.noise = 0.001;
	run_plan(&o, &p, 0.02);
	ok(outcome_noted(&o, TAPE_COMPARE_WARN, "one-always-first"),
	    "A always first is warned of");
	is_int(status(&o, LATENCY), TAPE_COMPARE_UNDECIDED,
	    "and what drift explains is withheld");
	ok(outcome_noted(&o, TAPE_COMPARE_WARN, "withheld") &&
		o.verdict.rows[LATENCY].flags[TAPE_COMPARE_FLAG_WITHHELD],
	    "which is said");
	ok(fabs(log(o.verdict.rows[LATENCY].f.drift_ratio)) <
		fabs(log(ratio(&o, LATENCY))),
	    "the adjusted estimate is nearer to 1");
	outcome_release(&o);
	p.itl_effect = 0.99; /* and so the drift hides a win */
	run_plan(&o, &p, 0.02);
	is_int(status(&o, ITL), TAPE_COMPARE_UNDECIDED,
	    "equivalence that rests on it is withheld");
	ok(!o.verdict.rows[ITL].noninferior, "as is non-inferiority");
	outcome_release(&o);
	p.drift = 0;
	p.itl_effect = 1.5;
	p.noise = 0.0001;
	run_plan(&o, &p, 0.02);
	ok(outcome_noted(&o, TAPE_COMPARE_WARN, "one-always-first"),
	    "still warned of");
	is_int(status(&o, GAP), TAPE_COMPARE_LOSS,
	    "what drift cannot explain stands");
	outcome_release(&o);
	p = plan_base;
	p.drift = 0.02;
	p.noise = 0.001;
	run_plan(&o, &p, 0.02);
	ok(outcome_noted(&o, TAPE_COMPARE_WARN, "order"),
	    "in a balanced order it is seen as an effect of the position");
	ok(says(&o, "! order matters: position 2 is 2.2 % slower"), "by 2 %%");
	outcome_release(&o);
}

static void
test_failures(void)
{
	struct plan p = plan_base;
	struct outcome o;

	p.fail_b = 6;
	run_plan(&o, &p, 0.02);
	is_near(
	    ratio(&o, FAILED), 0.2, 1e-12, "failed share differs by 20 points");
	is_int(status(&o, FAILED), TAPE_COMPARE_LOSS, "a loss");
	ok(outcome_noted(&o, TAPE_COMPARE_WARN, "failures"), "and warned of");
	is_int(o.design.matched, 24, "failed ones match nothing");
	ok(o.verdict.rows[FAILED].flags[TAPE_COMPARE_FLAG_CONSTANT],
	    "that there is no noise is said");
	outcome_release(&o);
	p.fail_b = p.prompts; /* B answers nothing */
	run_plan(&o, &p, 0.02);
	ok(outcome_noted(&o, TAPE_COMPARE_REFUSE, "no-answers"),
	    "an arm that never answers cannot be compared");
	ok(outcome_noted(&o, TAPE_COMPARE_WARN, "no-value"), "row by row");
	ok(says(&o, "refused: no request of B succeeded in any run"), "named");
	outcome_release(&o);
	p.pairs = 4;
	p.fail_b = 1;
	p.prompts = 50; /* so that the mean of the others stays */
	run_plan(&o, &p, 0.02);
	is_int(status(&o, FAILED), TAPE_COMPARE_POSSIBLE_LOSS,
	    "with 4 pairs and no noise no p, but a possible loss");
	ok(says(&o, "overall: UNDECIDED.  B may lose in all ("),
	    "overall undecided");
	ok(says(&o, "failed +2.0 pt).  Nothing else was shown."), "it is said");
	outcome_release(&o);
}

/* A row that B does not have cannot be won, nor hide behind one that is. */
static void
test_missing_row(void)
{
	struct plan p = plan_base;
	struct outcome o;

	p.noise = 0.001;
	p.itl_effect = 0.9;
	p.no_stream = true;
	run_plan(&o, &p, 0.02);
	ok(o.rows[TTFT].empty && o.rows[GAP].empty, "no run has ttft and gap");
	ok(!says(&o, "\nprefill "), "they are not printed");
	ok(outcome_noted(&o, TAPE_COMPARE_NOTE, "no-data"), "but named");
	is_int(o.verdict.overall, TAPE_COMPARE_ALL_WIN,
	    "what neither has stands in nobody's way");
	outcome_release(&o);
}

static void
test_medians(void)
{
	struct plan p = plan_base;
	struct outcome o;

	p.prompts = 4;
	p.itl_effect = 1.2;
	run_plan(&o, &p, 0.02);
	is_int(o.rows[ITL].statistic, TAPE_COMPARE_MEDIANS,
	    "below 5 prompts medians are compared");
	is_int(status(&o, ITL), TAPE_COMPARE_LOSS, "to effect");
	ok(outcome_noted(&o, TAPE_COMPARE_WARN, "few-matched"), "warned of");
	ok(outcome_noted(&o, TAPE_COMPARE_WARN, "medians"), "row by row");
	outcome_release(&o);
	p.prompts = 5;
	run_plan(&o, &p, 0.02);
	is_int(o.rows[ITL].statistic, TAPE_COMPARE_MATCHED, "five will do");
	outcome_release(&o);
}

/* No memory anywhere: a status, no crash, no leak, no lost refusal. */
static void
test_no_memory(void)
{
	struct plan p = plan_base;
	struct make m;
	struct outcome o;
	uint64_t n = 0;
	enum tape_status st = TAPE_E_NOMEM;

	p.pairs = 6;
	p.prompts = 6;
	p.fail_b = 2;
	plan_make(&p, &m);
	while (st == TAPE_E_NOMEM && ++n < 100000) {
		outcome_init(&o, 0.02);
		(void)tape_mem_fail_at(n);
		outcome_load(&o, &m.buf, TAPE_COMPARE_ANY_ARM);
		outcome_judge(&o, false, 0);
		(void)tape_mem_fail_at(0);
		st = o.st;
		outcome_release(&o);
	}
	is_int(st, TAPE_OK, "compares once memory is there");
	ok(n > 50, "and did fail before (%d times)", (int)n - 1);
	tape_buf_release(&m.buf);
}

static void
test_notes(void)
{
	struct tape_compare_notes notes = { .v = NULL };
	struct tape_err err = { 0 };
	char longer[400];

	(void)tape_mem_fail_at(1);
	tape_compare_note(&notes, TAPE_COMPARE_REFUSE, "x", "why");
	(void)tape_mem_fail_at(0);
	ok(notes.refused, "a refusal that cannot be kept still refuses");
	is_int(tape_compare_notes_status(&notes, &err), TAPE_E_NOMEM,
	    "and the loss is told");
	tape_compare_notes_release(&notes);
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	longer[318] = '\xc3';
	longer[319] = '\xa4';
	tape_compare_note(&notes, TAPE_COMPARE_WARN, "x", "%s", longer);
	tape_compare_note(&notes, TAPE_COMPARE_WARN, "y", "a\x1b[2Jb\nc");
	is_int((int64_t)strlen(notes.v[0].text), 318, "cut between characters");
	is_str(notes.v[1].text, "a?[2Jb?c", "no control characters");
	tape_compare_notes_release(&notes);
}

int
main(void)
{
	test_slower_decode();
	test_swap();
	test_order_of_lines();
	test_equal();
	test_win();
	test_few_pairs();
	test_conditions();
	test_unread();
	test_refusals();
	test_drift();
	test_failures();
	test_missing_row();
	test_medians();
	test_no_memory();
	test_notes();
	return done_testing();
}
