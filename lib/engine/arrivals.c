/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/arrivals.h"

#include "base/mem.h"
#include "codec/stat_ad.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* What a gap of 0 stands for: times are whole nanoseconds. */
#define LEAST_NS 0.5

enum tape_status
tape_arrivals_open(struct tape_arrivals *a, struct tape_err *err)
{
	*a = (struct tape_arrivals){ .stride = 1 };
	a->v = tape_mem_calloc(TAPE_ARRIVALS_ROOM, sizeof(*a->v));
	return a->v == NULL ? tape_err_nomem(err) : TAPE_OK;
}

void
tape_arrivals_release(struct tape_arrivals *a)
{
	tape_mem_free(a->v);
	*a = (struct tape_arrivals){ 0 };
}

void
tape_arrivals_clear(struct tape_arrivals *a)
{
	a->n = 0;
	a->stride = 1;
}

/* Whether a request is one of a pair. */
static bool
in_pair(uint64_t seq, uint64_t stride)
{
	return (seq & (stride - 1)) <= 1;
}

static size_t
thin(struct tape_arrival *v, size_t n, uint64_t stride)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (in_pair(v[i].seq, stride))
			v[kept++] = v[i];
	return kept;
}

void
tape_arrivals_add(
    struct tape_arrivals *a, uint64_t seq, int64_t due_ns, int64_t start_ns)
{
	if (a->v == NULL || !in_pair(seq, a->stride))
		return;
	/* Pairs make up all requests at strides 1 and 2: the first doubling
	   leaves all in place. */
	while (a->n == TAPE_ARRIVALS_ROOM) {
		a->stride *= 2;
		a->n = thin(a->v, a->n, a->stride);
	}
	if (in_pair(seq, a->stride))
		a->v[a->n++] = (struct tape_arrival){ seq, due_ns, start_ns };
}

/* All parts in the order of the plan. */
struct merged {
	struct tape_arrival *v;
	size_t n;
	uint64_t stride;
};

static int
by_seq(const void *a, const void *b)
{
	const struct tape_arrival *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

static enum tape_status
merge(const struct tape_arrivals *const *parts, size_t n, struct merged *m,
    struct tape_err *err)
{
	size_t room = 0;

	*m = (struct merged){ .stride = 1 };
	for (size_t i = 0; i < n; i++) {
		room += parts[i]->n;
		if (parts[i]->stride > m->stride)
			m->stride = parts[i]->stride;
	}
	m->v = tape_mem_calloc(room + 1, sizeof(*m->v));
	if (m->v == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < parts[i]->n; k++)
			m->v[m->n++] = parts[i]->v[k];
	m->n = thin(m->v, m->n, m->stride);
	qsort(m->v, m->n, sizeof(*m->v), by_seq);
	return TAPE_OK;
}

/* Whether v[i] and the next are a pair of the sample. */
static bool
is_gap(const struct merged *m, size_t i)
{
	return m->v[i].seq % m->stride == 0 &&
	       m->v[i + 1].seq == m->v[i].seq + 1;
}

static size_t
count_gaps(const struct merged *m)
{
	size_t gaps = 0;

	for (size_t i = 0; i + 1 < m->n; i++)
		gaps += is_gap(m, i);
	return gaps;
}

/* Gaps into the arrays; false when they are not in the plan's order. */
static bool
take_gaps(const struct merged *m, double *planned, double *achieved)
{
	size_t gaps = 0;

	for (size_t i = 0; i + 1 < m->n; i++) {
		const struct tape_arrival *a = &m->v[i], *b = a + 1;

		if (b->due_ns < a->due_ns)
			return false;
		if (!is_gap(m, i))
			continue;
		planned[gaps] = (double)(b->due_ns - a->due_ns);
		achieved[gaps++] = fabs((double)(b->start_ns - a->start_ns));
	}
	return true;
}

static enum tape_status
test(double *gaps, size_t n, double *p, struct tape_err *err)
{
	/* All at the same time: that is no exponential law. */
	struct tape_stat_ad ad = { .p = 0 };
	enum tape_status st =
	    tape_stat_ad_exponential(gaps, n, LEAST_NS, &ad, NULL);

	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	*p = ad.p;
	return TAPE_OK;
}

static enum tape_status
test_both(const struct merged *m, size_t gaps, struct tape_arrivals_test *out,
    struct tape_err *err)
{
	double *v = tape_mem_calloc(2 * gaps, sizeof(*v));
	enum tape_status st = TAPE_OK;

	if (v == NULL)
		return tape_err_nomem(err);
	if (take_gaps(m, v, v + gaps)) {
		st = test(v, gaps, &out->planned_p, err);
		if (st == TAPE_OK)
			st = test(v + gaps, gaps, &out->achieved_p, err);
		if (st == TAPE_OK) {
			out->n = (int64_t)gaps;
			out->stride = m->stride;
		}
	}
	tape_mem_free(v);
	return st;
}

enum tape_status
tape_arrivals_judge(const struct tape_arrivals *const *parts, size_t n,
    struct tape_arrivals_test *out, struct tape_err *err)
{
	struct merged m;
	enum tape_status st = merge(parts, n, &m, err);
	size_t gaps;

	*out = (struct tape_arrivals_test){ .stride = 1 };
	if (st != TAPE_OK)
		return st;
	while ((gaps = count_gaps(&m)) > TAPE_ARRIVALS_GAPS) {
		m.stride *= 2;
		m.n = thin(m.v, m.n, m.stride);
	}
	if (gaps >= TAPE_ARRIVALS_LEAST)
		st = test_both(&m, gaps, out, err);
	tape_mem_free(m.v);
	return st;
}
