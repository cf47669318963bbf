/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_data.h"

#include "engine/compare_rows.h"
#include "engine/compare_work.h"

#define MATCHED_FEW    20
#define TAIL_FEW       100  /* below, a p99 is the maximum */
#define FAILURE_DIFFER 0.01 /* absolute */
#define CHUNKED        1.1  /* tokens an event */

/* Sums over the runs of one arm. */
struct sums {
	double n, failed;
	double tokens, events;
	size_t runs;
	size_t bad_times, instant, from_events;
	size_t checks_failed, client, other_client, aborted;
};

static struct sums
sum_up(const struct tape_compare_design *d, size_t arm)
{
	struct sums s = { .runs = d->k };

	for (size_t i = 0; i < d->k; i++) {
		const struct tape_compare_run *r = d->pairs[i].run[arm];
		const struct tape_compare_doubts *o = &r->doubts;

		s.n += (double)r->n;
		s.failed += (double)r->failed;
		s.tokens += o->tokens;
		s.events += o->events;
		s.bad_times += o->bad_times;
		s.instant += o->instant;
		s.from_events += o->from_events;
		s.checks_failed += o->checks_failed;
		s.client += o->client ? 1U : 0U;
		s.other_client += r->conditions.other_client.p ? 1U : 0U;
		s.aborted += r->ending == TAPE_COMPARE_ABORTED ? 1U : 0U;
	}
	return s;
}

static void
check_matches(
    const struct tape_compare_design *d, struct tape_compare_notes *notes)
{
	if (d->k > 0 && d->matched < MATCHED_FEW)
		tape_compare_note(notes, TAPE_COMPARE_WARN, "few-matched",
		    "only %zu prompt%s in both arms%s", d->matched,
		    d->matched == 1 ? " occurs" : "s occur",
		    d->matched < TAPE_COMPARE_MATCH_MIN
			? ": medians are compared instead"
			: "");
}

static double
share(double part, double of)
{
	return of > 0 ? part / of : 0;
}

static void
check_failures(const struct sums *a, const struct sums *b,
    struct tape_compare_notes *notes)
{
	double x = share(a->failed, a->n + a->failed);
	double y = share(b->failed, b->n + b->failed);

	if (fabs(x - y) > FAILURE_DIFFER)
		tape_compare_note(notes, TAPE_COMPARE_WARN, "failures",
		    "failed requests differ: A %.1f %%, B %.1f %%; they are in "
		    "no latency",
		    100 * x, 100 * y);
	if (a->aborted + b->aborted > 0)
		tape_compare_note(notes, TAPE_COMPARE_WARN, "aborted",
		    "runs that were aborted for failures: %zu of A, %zu of B",
		    a->aborted, b->aborted);
}

/* A deployment that is down has no times to compare, and no noise either. */
static void
check_answers(const struct sums *a, const struct sums *b,
    struct tape_compare_notes *notes)
{
	if (a->runs > 0 && (a->n == 0 || b->n == 0))
		tape_compare_note(notes, TAPE_COMPARE_REFUSE, "no-answers",
		    "no request of %s succeeded in any run",
		    a->n > 0   ? "B"
		    : b->n > 0 ? "A"
			       : "either arm");
}

static void
check_times(const struct sums *a, const struct sums *b,
    struct tape_compare_notes *notes)
{
	if (a->bad_times + b->bad_times > 0)
		tape_compare_note(notes, TAPE_COMPARE_REFUSE, "bad-times",
		    "times that are not positive: %zu in A, %zu in B",
		    a->bad_times, b->bad_times);
}

static void
check_tokens(const struct sums *a, const struct sums *b,
    struct tape_compare_notes *notes)
{
	double x = share(a->tokens, a->events), y = share(b->tokens, b->events);

	if (a->instant + b->instant > 0)
		tape_compare_note(notes, TAPE_COMPARE_WARN, "instant",
		    "answers whose tokens all came at one time, in no itl: %zu "
		    "of A, %zu of B",
		    a->instant, b->instant);
	if (x > CHUNKED || y > CHUNKED)
		tape_compare_note(notes, TAPE_COMPARE_WARN, "chunked",
		    "tokens come several at a time (A %.2f an event, B %.2f): "
		    "gaps are not between tokens",
		    x, y);
	if (a->from_events + b->from_events > 0)
		tape_compare_note(notes, TAPE_COMPARE_WARN, "from-events",
		    "output tokens of %zu answers of A and %zu of B are "
		    "counted from events: itl and output rest on it",
		    a->from_events, b->from_events);
}

static void
check_trust(const struct sums *a, const struct sums *b,
    struct tape_compare_notes *notes)
{
	if (a->client + b->client > 0)
		tape_compare_note(notes, TAPE_COMPARE_WARN, "client",
		    "the client itself was suspect, or the limit, in %zu of "
		    "%zu runs of A and %zu of %zu of B (metrics-reduce says "
		    "why)",
		    a->client, a->runs, b->client, b->runs);
	if (a->other_client + b->other_client > 0)
		tape_compare_note(notes, TAPE_COMPARE_WARN, "other-client",
		    "times come from another client than ours in %zu of %zu "
		    "runs of A and %zu of %zu of B: what it added to them "
		    "nothing tells",
		    a->other_client, a->runs, b->other_client, b->runs);
	if (a->checks_failed + b->checks_failed > 0)
		tape_compare_note(notes, TAPE_COMPARE_WARN, "checks",
		    "failed checks of the runs: %zu of A, %zu of B "
		    "(metrics-reduce lists them)",
		    a->checks_failed, b->checks_failed);
}

static void
check_tails(
    const struct tape_compare_design *d, struct tape_compare_notes *notes)
{
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < d->k; i++)
		for (size_t arm = 0; arm < TAPE_COMPARE_ARMS; arm++) {
			const struct tape_compare_run *r = d->pairs[i].run[arm];

			if (r->level[TAPE_COMPARE_LATENCY].n < least)
				least = r->level[TAPE_COMPARE_LATENCY].n;
		}
	if (d->k > 0 && least > 0 && least < TAIL_FEW)
		tape_compare_note(notes, TAPE_COMPARE_NOTE, "short-tail",
		    "p99 of ttft and latency: of %zu requests it is hardly "
		    "more than the largest",
		    least);
}

void
tape_compare_check_data(
    struct tape_compare_design *design, struct tape_compare_notes *notes)
{
	struct sums a = sum_up(design, TAPE_COMPARE_A);
	struct sums b = sum_up(design, TAPE_COMPARE_B);

	check_answers(&a, &b, notes);
	check_times(&a, &b, notes);
	check_matches(design, notes);
	check_failures(&a, &b, notes);
	check_tokens(&a, &b, notes);
	check_trust(&a, &b, notes);
	check_tails(design, notes);
	tape_compare_check_work(design, notes);
}
