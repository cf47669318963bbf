/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_design.h"

#include <inttypes.h>
#include <stdio.h>

#define PAIRS_MIN      3
#define MATCHED_FEW    20
#define TOKENS_DIFFER  0.01 /* relative */
#define FAILURE_DIFFER 0.01 /* absolute */

static void
refuse(struct tape_compare_notes *notes, const char *code, const char *text)
{
	(void)tape_compare_notes_add(
	    notes, TAPE_COMPARE_REFUSE, code, "%s", text);
}

static void
check_count(
    const struct tape_compare_design *d, struct tape_compare_notes *notes)
{
	if (d->k == 0)
		refuse(notes, "no-pairs",
		    "no round has a run of both arms: nothing to compare");
	else if (d->k == 1)
		refuse(notes, "one-pair",
		    "one pair cannot separate A/B from run-to-run noise: "
		    "values only");
	else if (d->k < PAIRS_MIN)
		refuse(notes, "two-pairs",
		    "two pairs give no verdict: values only");
}

/* Whether all of one arm come before all of the other. */
static bool
blocked(const struct tape_compare_design *d, size_t first, size_t second)
{
	int64_t last_first = INT64_MIN, first_second = INT64_MAX;

	for (size_t i = 0; i < d->k; i++) {
		int64_t a = d->pairs[i].run[first]->start_ns;
		int64_t b = d->pairs[i].run[second]->start_ns;

		if (a > last_first)
			last_first = a;
		if (b < first_second)
			first_second = b;
	}
	return last_first < first_second;
}

static void
check_interleaving(
    struct tape_compare_design *d, struct tape_compare_notes *notes)
{
	d->interleaved =
	    d->k < 2 || (!blocked(d, TAPE_COMPARE_A, TAPE_COMPARE_B) &&
			    !blocked(d, TAPE_COMPARE_B, TAPE_COMPARE_A));
	if (!d->interleaved)
		refuse(notes, "not-interleaved",
		    "the runs are not interleaved: all of one arm come before "
		    "all of the other, so that arm and time are the same thing");
	if (d->interleaved && d->k >= PAIRS_MIN && d->a_first == d->k)
		(void)tape_compare_notes_add(notes, TAPE_COMPARE_WARN,
		    "a-always-first",
		    "A is always first: a drift looks like an effect of B "
		    "(use --order balanced)");
	if (d->interleaved && d->k >= PAIRS_MIN && d->a_first == 0)
		(void)tape_compare_notes_add(notes, TAPE_COMPARE_WARN,
		    "b-always-first",
		    "B is always first: a drift looks like an effect of B "
		    "(use --order balanced)");
}

static void
check_times(
    const struct tape_compare_design *d, struct tape_compare_notes *notes)
{
	for (size_t i = 0; i < d->k; i++) {
		const struct tape_compare_pair *p = &d->pairs[i];
		const struct tape_compare_run *first =
		    p->run[p->b_first ? TAPE_COMPARE_B : TAPE_COMPARE_A];
		const struct tape_compare_run *second =
		    p->run[p->b_first ? TAPE_COMPARE_A : TAPE_COMPARE_B];

		if (first->end_ns < first->start_ns ||
		    second->end_ns < second->start_ns)
			(void)tape_compare_notes_add(notes, TAPE_COMPARE_REFUSE,
			    "clock-backward",
			    "round %" PRId64 ": a run ends before it starts",
			    first->round);
		else if (second->start_ns < first->end_ns)
			(void)tape_compare_notes_add(notes, TAPE_COMPARE_REFUSE,
			    "overlap",
			    "round %" PRId64 ": the runs of the pair overlap "
			    "in time",
			    first->round);
		if (!first->ended || !second->ended)
			(void)tape_compare_notes_add(notes, TAPE_COMPARE_WARN,
			    "no-end", "round %" PRId64 ": a run has no end",
			    first->round);
	}
}

static bool
same_number(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fabs(a);
}

static bool
same_text(struct tape_str a, struct tape_str b)
{
	return (a.p == NULL && b.p == NULL) || tape_str_equal(a, b);
}

static void
check_condition(bool same, unsigned flag, unsigned vary, const char *name,
    struct tape_compare_notes *notes)
{
	if (!same && !(vary & flag))
		(void)tape_compare_notes_add(notes, TAPE_COMPARE_REFUSE,
		    "conditions",
		    "the arms differ in %s: if that is what is compared, say "
		    "--vary %s",
		    name, name);
}

static void
check_conditions(const struct tape_compare_run *a,
    const struct tape_compare_run *b, unsigned vary,
    struct tape_compare_notes *notes)
{
	check_condition(same_text(a->model, b->model), TAPE_COMPARE_VARY_MODEL,
	    vary, "model", notes);
	check_condition(same_text(a->extra, b->extra), TAPE_COMPARE_VARY_EXTRA,
	    vary, "extra", notes);
	check_condition(a->concurrency == b->concurrency &&
			    same_number(a->rate_per_s, b->rate_per_s),
	    TAPE_COMPARE_VARY_LOAD, vary, "load", notes);
	check_condition(same_text(a->trace_hash, b->trace_hash),
	    TAPE_COMPARE_VARY_TRACE, vary, "trace", notes);
	check_condition(same_text(a->api, b->api), TAPE_COMPARE_VARY_API, vary,
	    "api", notes);
	check_condition(a->warmup == b->warmup, TAPE_COMPARE_VARY_WARMUP, vary,
	    "warmup", notes);
}

/* Rounds may not change what is compared either. */
static void
check_rounds(
    const struct tape_compare_design *d, struct tape_compare_notes *notes)
{
	for (size_t arm = 0; arm < TAPE_COMPARE_ARMS; arm++)
		for (size_t i = 1; i < d->k; i++) {
			const struct tape_compare_run *x = d->pairs[i].run[arm];
			const struct tape_compare_run *y = d->pairs[0].run[arm];

			if (same_text(x->model, y->model) &&
			    same_text(x->trace_hash, y->trace_hash) &&
			    x->concurrency == y->concurrency)
				continue;
			refuse(notes, "conditions",
			    "model, trace or concurrency change between the "
			    "rounds of an arm");
			return;
		}
}

static void
check_matches(
    const struct tape_compare_design *d, struct tape_compare_notes *notes)
{
	double log_sum = 0, a_sum = 0, b_sum = 0;

	if (d->k > 0 && d->matched < MATCHED_FEW)
		(void)tape_compare_notes_add(notes, TAPE_COMPARE_WARN,
		    "few-matched", "only %zu prompts occur in both arms%s",
		    d->matched,
		    d->matched < 5 ? ": medians are compared instead" : "");
	for (size_t i = 0; i < d->k; i++) {
		const struct tape_compare_request *a, *b;
		size_t ia = 0, ib = 0;

		while (
		    tape_compare_next_match(&d->pairs[i], &ia, &ib, &a, &b)) {
			if (a->output_tokens <= 0 || b->output_tokens <= 0)
				continue;
			a_sum += (double)a->output_tokens;
			b_sum += (double)b->output_tokens;
		}
	}
	log_sum = a_sum > 0 && b_sum > 0 ? log(b_sum / a_sum) : 0;
	if (fabs(log_sum) > TOKENS_DIFFER)
		(void)tape_compare_notes_add(notes, TAPE_COMPARE_WARN,
		    "output-lengths",
		    "B's answers to the same prompts are %.1f %% %s: compare "
		    "tokens, not latencies",
		    100 * fabs(expm1(log_sum)),
		    log_sum > 0 ? "longer" : "shorter");
}

static double
failed_share(const struct tape_compare_design *d, size_t arm)
{
	double failed = 0, all = 0;

	for (size_t i = 0; i < d->k; i++) {
		const struct tape_compare_run *r = d->pairs[i].run[arm];

		failed += (double)r->failed;
		all += (double)(r->failed + r->n);
	}
	return all > 0 ? failed / all : 0;
}

static void
check_failures(
    const struct tape_compare_design *d, struct tape_compare_notes *notes)
{
	double a = failed_share(d, TAPE_COMPARE_A);
	double b = failed_share(d, TAPE_COMPARE_B);

	if (fabs(a - b) > FAILURE_DIFFER)
		(void)tape_compare_notes_add(notes, TAPE_COMPARE_WARN,
		    "failures",
		    "failed requests differ: A %.1f %%, B %.1f %%; they are in "
		    "no latency",
		    100 * a, 100 * b);
}

void
tape_compare_check_design(const struct tape_compare_set *set, unsigned vary,
    struct tape_compare_design *design, struct tape_compare_notes *notes)
{
	check_count(design, notes);
	if (set->skipped_runs > 0)
		(void)tape_compare_notes_add(notes, TAPE_COMPARE_NOTE,
		    "other-arms", "%" PRId64 " runs of other arms are left out",
		    set->skipped_runs);
	check_interleaving(design, notes);
	check_times(design, notes);
	if (design->k > 0)
		check_conditions(design->pairs[0].run[TAPE_COMPARE_A],
		    design->pairs[0].run[TAPE_COMPARE_B], vary, notes);
	check_rounds(design, notes);
	check_matches(design, notes);
	check_failures(design, notes);
}
