/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_pair.h"

#include "base/mem.h"
#include "engine/compare_design.h"

#include <inttypes.h>
#include <stdlib.h>

void
tape_compare_design_release(struct tape_compare_design *design)
{
	tape_mem_free(design->pairs);
	memset(design, 0, sizeof(*design));
}

static int
compare_ids(
    const struct tape_compare_request *a, const struct tape_compare_request *b)
{
	size_t n = a->id.len < b->id.len ? a->id.len : b->id.len;
	int c = memcmp(a->id.p, b->id.p, n);

	if (c != 0)
		return c;
	return (a->id.len > b->id.len) - (a->id.len < b->id.len);
}

bool
tape_compare_next_match(const struct tape_compare_pair *pair, size_t *ia,
    size_t *ib, const struct tape_compare_request **a,
    const struct tape_compare_request **b)
{
	const struct tape_compare_run *ra = pair->run[TAPE_COMPARE_A];
	const struct tape_compare_run *rb = pair->run[TAPE_COMPARE_B];

	while (*ia < ra->request_count && *ib < rb->request_count) {
		int c = compare_ids(&ra->requests[*ia], &rb->requests[*ib]);

		if (c == 0) {
			*a = &ra->requests[(*ia)++];
			*b = &rb->requests[(*ib)++];
			return true;
		}
		if (c < 0)
			++*ia;
		else
			++*ib;
	}
	return false;
}

static size_t
count_matches(const struct tape_compare_pair *pair)
{
	const struct tape_compare_request *a, *b;
	size_t ia = 0, ib = 0, n = 0;

	while (tape_compare_next_match(pair, &ia, &ib, &a, &b))
		n++;
	return n;
}

static bool
same_round(const struct tape_compare_run *a, const struct tape_compare_run *b)
{
	return a->round == b->round && tape_str_equal(a->session, b->session);
}

/* The n-th run (from 0) of an arm in the order read; NULL beyond the last. */
static const struct tape_compare_run *
nth_of_arm(const struct tape_compare_set *set, size_t arm, size_t nth)
{
	for (size_t i = 0; i < set->run_count; i++)
		if (set->runs[i].arm == arm && nth-- == 0)
			return &set->runs[i];
	return NULL;
}

static const struct tape_compare_run *
partner(const struct tape_compare_set *set, const struct tape_compare_run *a,
    struct tape_compare_notes *notes)
{
	const struct tape_compare_run *found = NULL;

	for (size_t i = 0; i < set->run_count; i++) {
		const struct tape_compare_run *r = &set->runs[i];

		if (r == a || !same_round(r, a) || r->arm > TAPE_COMPARE_B)
			continue;
		if (r->arm == a->arm || found != NULL) {
			(void)tape_compare_notes_add(notes, TAPE_COMPARE_REFUSE,
			    "doubled-run",
			    "round %" PRId64 " has two runs of arm %s",
			    a->round, r->arm == TAPE_COMPARE_A ? "A" : "B");
			return NULL;
		}
		found = r;
	}
	return found;
}

static void
add_pair(struct tape_compare_design *d, const struct tape_compare_run *a,
    const struct tape_compare_run *b)
{
	struct tape_compare_pair *p = &d->pairs[d->k++];

	p->run[TAPE_COMPARE_A] = a;
	p->run[TAPE_COMPARE_B] = b;
	p->b_first = b->start_ns < a->start_ns;
	p->matched = count_matches(p);
	if (!p->b_first)
		d->a_first++;
	if (d->k == 1 || p->matched < d->matched)
		d->matched = p->matched;
}

static int64_t
pair_start_ns(const struct tape_compare_pair *p)
{
	const struct tape_compare_run *r =
	    p->run[p->b_first ? TAPE_COMPARE_B : TAPE_COMPARE_A];

	return r->start_ns;
}

static int
by_time(const void *a, const void *b)
{
	int64_t x = pair_start_ns(a), y = pair_start_ns(b);

	return (x > y) - (x < y);
}

static void
pair_by_order(const struct tape_compare_set *set, struct tape_compare_design *d,
    struct tape_compare_notes *notes)
{
	const struct tape_compare_run *a, *b;

	for (size_t i = 0;; i++) {
		a = nth_of_arm(set, TAPE_COMPARE_A, i);
		b = nth_of_arm(set, TAPE_COMPARE_B, i);
		if (a == NULL || b == NULL)
			break;
		add_pair(d, a, b);
	}
	if (a != NULL || b != NULL)
		(void)tape_compare_notes_add(notes, TAPE_COMPARE_REFUSE,
		    "missing-arm", "arm %s has more runs than the other",
		    a != NULL ? "A" : "B");
}

/* A run without partner: the last one of an interrupted session is left out,
   any other makes the comparison impossible. */
static void
note_single(const struct tape_compare_set *set,
    const struct tape_compare_run *run, struct tape_compare_notes *notes)
{
	bool last = true;

	for (size_t i = 0; i < set->run_count; i++)
		if (tape_str_equal(set->runs[i].session, run->session) &&
		    set->runs[i].round > run->round)
			last = false;
	(void)tape_compare_notes_add(notes,
	    last ? TAPE_COMPARE_WARN : TAPE_COMPARE_REFUSE, "missing-arm",
	    "round %" PRId64 " has no run of arm %s%s", run->round,
	    run->arm == TAPE_COMPARE_A ? "B" : "A",
	    last ? ": it is left out" : "");
}

static void
pair_by_round(const struct tape_compare_set *set, struct tape_compare_design *d,
    struct tape_compare_notes *notes)
{
	for (size_t i = 0; i < set->run_count; i++) {
		const struct tape_compare_run *r = &set->runs[i], *other;

		if (r->arm > TAPE_COMPARE_B)
			continue;
		other = partner(set, r, notes);
		if (other == NULL)
			note_single(set, r, notes);
		else if (r->arm == TAPE_COMPARE_A)
			add_pair(d, r, other);
	}
}

enum tape_status
tape_compare_pair_runs(const struct tape_compare_set *set, bool by_order,
    unsigned vary, struct tape_compare_design *design,
    struct tape_compare_notes *notes, struct tape_err *err)
{
	memset(design, 0, sizeof(*design));
	design->pairs =
	    tape_mem_calloc(set->run_count + 1, sizeof(*design->pairs));
	if (design->pairs == NULL)
		return tape_err_nomem(err);
	if (by_order)
		pair_by_order(set, design, notes);
	else
		pair_by_round(set, design, notes);
	qsort(design->pairs, design->k, sizeof(*design->pairs), by_time);
	tape_compare_check_design(set, vary, design, notes);
	return TAPE_OK;
}
