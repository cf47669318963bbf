/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_pair.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUND_ROOM 48

void
tape_compare_design_release(struct tape_compare_design *design)
{
	tape_mem_free(design->pairs);
	memset(design, 0, sizeof(*design));
}

const struct tape_compare_run *
tape_compare_first(const struct tape_compare_pair *pair)
{
	return pair->run[pair->b_first ? TAPE_COMPARE_B : TAPE_COMPARE_A];
}

const struct tape_compare_run *
tape_compare_second(const struct tape_compare_pair *pair)
{
	return pair->run[pair->b_first ? TAPE_COMPARE_A : TAPE_COMPARE_B];
}

bool
tape_compare_next_match(const struct tape_compare_pair *pair, size_t *ia,
    size_t *ib, const struct tape_compare_request **a,
    const struct tape_compare_request **b)
{
	const struct tape_compare_run *ra = pair->run[TAPE_COMPARE_A];
	const struct tape_compare_run *rb = pair->run[TAPE_COMPARE_B];

	while (*ia < ra->request_count && *ib < rb->request_count) {
		int c = tape_compare_text_order(
		    ra->requests[*ia].id, rb->requests[*ib].id);

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

static bool
is_whole(const struct tape_compare_run *r)
{
	return r->ending == TAPE_COMPARE_ENDED ||
	       r->ending == TAPE_COMPARE_ABORTED;
}

static const char *
round_name(int64_t round, char dst[ROUND_ROOM])
{
	if (round == TAPE_ABSENT_I64)
		(void)snprintf(dst, ROUND_ROOM, "a run without round");
	else
		(void)snprintf(dst, ROUND_ROOM, "round %" PRId64, round);
	return dst;
}

char *
tape_compare_pair_name(
    const struct tape_compare_design *design, size_t i, char *dst, size_t size)
{
	const struct tape_compare_run *r =
	    tape_compare_first(&design->pairs[i]);

	if (design->by_order || r->round == TAPE_ABSENT_I64)
		(void)snprintf(dst, size, "pair %zu", i + 1);
	else
		(void)snprintf(dst, size, "round %" PRId64, r->round);
	return dst;
}

/* By session and round, so that the runs of a round are neighbours. */
static int
by_round(const void *a, const void *b)
{
	const struct tape_compare_run *x =
	    *(const struct tape_compare_run *const *)a;
	const struct tape_compare_run *y =
	    *(const struct tape_compare_run *const *)b;
	int c = tape_compare_text_order(x->session, y->session);

	if (c != 0)
		return c;
	if (x->round != y->round)
		return x->round > y->round ? 1 : -1;
	return tape_compare_by_time(a, b);
}

static int
pairs_by_time(const void *a, const void *b)
{
	const struct tape_compare_run *x = tape_compare_first(a);
	const struct tape_compare_run *y = tape_compare_first(b);

	return tape_compare_by_time(&x, &y);
}

/* The runs of one arm; both arms when arm is TAPE_COMPARE_ARMS. */
static size_t
pick(const struct tape_compare_set *set, size_t arm,
    const struct tape_compare_run **v)
{
	size_t n = 0;

	for (size_t i = 0; i < set->run_count; i++)
		if (set->runs[i].arm < TAPE_COMPARE_ARMS &&
		    (arm == TAPE_COMPARE_ARMS || set->runs[i].arm == arm))
			v[n++] = &set->runs[i];
	return n;
}

static void
pair_by_order(const struct tape_compare_set *set,
    const struct tape_compare_run **v, struct tape_compare_design *d,
    struct tape_compare_notes *notes)
{
	size_t a = pick(set, TAPE_COMPARE_A, v);
	size_t b = pick(set, TAPE_COMPARE_B, v + a);

	qsort(v, a, sizeof(*v), tape_compare_by_time);
	qsort(v + a, b, sizeof(*v), tape_compare_by_time);
	if (a != b)
		tape_compare_note(notes, TAPE_COMPARE_REFUSE, "missing-arm",
		    "%zu runs of A and %zu of B: they do not make pairs", a, b);
	for (size_t i = 0; i < a && i < b; i++) {
		if (is_whole(v[i]) && is_whole(v[a + i]))
			add_pair(d, v[i], v[a + i]);
		else
			tape_compare_note(notes,
			    i + 1 == a && i + 1 == b ? TAPE_COMPARE_WARN
						     : TAPE_COMPARE_REFUSE,
			    "unfinished",
			    "pair %zu is left out: a run of it has no proper "
			    "end",
			    i + 1);
	}
}

/* A round that is no pair: the last one of an interrupted session is left out,
   any other makes the comparison impossible. */
static void
note_incomplete(const struct tape_compare_run *const *v, size_t n, bool last,
    struct tape_compare_notes *notes)
{
	enum tape_compare_severity severity =
	    last ? TAPE_COMPARE_WARN : TAPE_COMPARE_REFUSE;
	const char *out = last ? ": it is left out" : "";
	char round[ROUND_ROOM];

	for (size_t i = 0; i < n; i++)
		if (!is_whole(v[i])) {
			tape_compare_note(notes, severity, "unfinished",
			    "%s: the run of arm %s has no proper end%s",
			    round_name(v[i]->round, round),
			    tape_compare_arm_letter(v[i]->arm), out);
			return;
		}
	tape_compare_note(notes, severity, "missing-arm",
	    "%s has no run of arm %s%s", round_name(v[0]->round, round),
	    tape_compare_arm_letter(
		v[0]->arm == TAPE_COMPARE_A ? TAPE_COMPARE_B : TAPE_COMPARE_A),
	    out);
}

/* The runs of one round; last: no later one of the session was begun. */
static void
pair_round(const struct tape_compare_run *const *v, size_t n, bool last,
    struct tape_compare_design *d, struct tape_compare_notes *notes)
{
	const struct tape_compare_run *of[TAPE_COMPARE_ARMS] = { NULL, NULL };
	char round[ROUND_ROOM];

	for (size_t i = 0; i < n; i++) {
		if (of[v[i]->arm] != NULL) {
			tape_compare_note(notes, TAPE_COMPARE_REFUSE,
			    "doubled-run", "%s: two runs of arm %s",
			    v[i]->round == TAPE_ABSENT_I64
				? "runs of a session without round"
				: round_name(v[i]->round, round),
			    tape_compare_arm_letter(v[i]->arm));
			return;
		}
		of[v[i]->arm] = v[i];
	}
	if (n == TAPE_COMPARE_ARMS && is_whole(v[0]) && is_whole(v[1]))
		add_pair(d, of[TAPE_COMPARE_A], of[TAPE_COMPARE_B]);
	else
		note_incomplete(v, n, last, notes);
}

static bool
same_session(const struct tape_compare_run *x, const struct tape_compare_run *y)
{
	return tape_compare_text_order(x->session, y->session) == 0;
}

static void
pair_by_round(const struct tape_compare_set *set,
    const struct tape_compare_run **v, struct tape_compare_design *d,
    struct tape_compare_notes *notes)
{
	size_t n = pick(set, TAPE_COMPARE_ARMS, v), next;
	bool rounds = false;

	qsort(v, n, sizeof(*v), by_round);
	for (size_t i = 1; i < n; i++)
		if (same_session(v[i], v[i - 1]) &&
		    v[i]->round == v[i - 1]->round)
			rounds = true;
	/* Nothing belongs together: that there are no pairs says it all. */
	if (!rounds)
		return;
	for (size_t i = 0; i < n; i = next) {
		for (next = i + 1; next < n; next++)
			if (!same_session(v[next], v[i]) ||
			    v[next]->round != v[i]->round)
				break;
		pair_round(v + i, next - i,
		    next == n || !same_session(v[next], v[i]), d, notes);
	}
}

enum tape_status
tape_compare_pair_runs(const struct tape_compare_set *set, bool by_order,
    struct tape_compare_design *design, struct tape_compare_notes *notes,
    struct tape_err *err)
{
	const struct tape_compare_run **v =
	    tape_mem_calloc(set->run_count + 1, sizeof(*v));

	memset(design, 0, sizeof(*design));
	design->by_order = by_order;
	design->pairs =
	    tape_mem_calloc(set->run_count + 1, sizeof(*design->pairs));
	if (v == NULL || design->pairs == NULL) {
		tape_mem_free(v);
		return tape_err_nomem(err);
	}
	if (by_order)
		pair_by_order(set, v, design, notes);
	else
		pair_by_round(set, v, design, notes);
	tape_mem_free(v);
	qsort(design->pairs, design->k, sizeof(*design->pairs), pairs_by_time);
	return tape_compare_notes_status(notes, err);
}
