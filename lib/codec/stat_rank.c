/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_rank.h"

#include "base/mem.h"
#include "codec/stat_rankdp.h"
#include "codec/stat_sort.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void
no_exact(struct tape_stat_rank *r)
{
	r->exact = false;
	r->p_two = r->p_less = r->p_greater = (double)NAN;
}

/* Tails of a law at a value, and the two-sided p by distance from centre. */
static void
tails(struct tape_stat_rank *r, const struct tape_stat_law *law, double at)
{
	const double away = fabs(at - law->centre);
	double both = 0;

	r->exact = true;
	r->p_less = r->p_greater = 0;
	for (size_t s = 0; s <= law->top; s++) {
		const double p = law->p[s];

		r->p_less += (double)s <= at ? p : 0;
		r->p_greater += (double)s >= at ? p : 0;
		both += fabs((double)s - law->centre) >= away ? p : 0;
	}
	r->p_less = fmin(1, r->p_less);
	r->p_greater = fmin(1, r->p_greater);
	r->p_two = fmin(1, both);
}

static void
normal(struct tape_stat_rank *r, double centre, double variance)
{
	const double away = fabs(r->statistic - centre);
	const double sd = sqrt(fmax(0, variance));

	r->p_normal = r->p_normal_nc = 1;
	if (!(sd > 0))
		return;
	r->p_normal = fmin(1, 2 * tape_stat_normal_q(fmax(0, away - 0.5) / sd));
	r->p_normal_nc = fmin(1, 2 * tape_stat_normal_q(away / sd));
}

/* Ranks of |d| of the n values that are not 0; sign of d on the rank. */
static enum tape_status
signed_ranks(
    const double *d, size_t n, double *rank, double *ties, struct tape_err *err)
{
	double *size = tape_mem_calloc(n, sizeof(*size));
	enum tape_status st;

	if (size == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < n; i++)
		size[i] = fabs(d[i]);
	st = tape_stat_midranks(size, n, rank, ties, err);
	tape_mem_free(size);
	return st;
}

/* values and rank have room for n; n counts what is left in values. */
static enum tape_status
wilcoxon(const double *values, size_t n, double *rank, struct tape_stat_rank *r,
    struct tape_err *err)
{
	const double m = (double)n;
	struct tape_stat_law law = { 0 };
	double ties = 0;
	enum tape_status st = signed_ranks(values, n, rank, &ties, err);

	if (st != TAPE_OK)
		return st;
	r->n = n;
	r->ties = r->ties || ties > 0;
	r->statistic = 0;
	for (size_t i = 0; i < n; i++)
		r->statistic += values[i] > 0 ? rank[i] : 0;
	normal(r, m * (m + 1) / 4, m * (m + 1) * (2 * m + 1) / 24 - ties / 48);
	no_exact(r);
	if (n > TAPE_STAT_RANK_EXACT)
		return TAPE_OK;
	st = tape_stat_law_signs(&law, rank, n, err);
	if (st == TAPE_OK)
		tails(r, &law, 2 * r->statistic);
	tape_stat_law_release(&law);
	return st;
}

enum tape_status
tape_stat_signed_rank(
    const double *d, size_t n, struct tape_stat_rank *out, struct tape_err *err)
{
	struct tape_stat_rank r = { 0 };
	enum tape_status st = tape_stat_check(d, n, err);
	double *room;
	size_t left = 0;

	if (st != TAPE_OK)
		return st;
	if (n == 0)
		return tape_err_set(err, TAPE_E_DATA, "no values to rank");
	room = tape_mem_calloc(n, 2 * sizeof(*room));
	if (room == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < n; i++)
		if (d[i] != 0)
			room[left++] = d[i];
	r.ties = left < n;
	st = wilcoxon(room, left, room + n, &r, err);
	tape_mem_free(room);
	if (st == TAPE_OK)
		*out = r;
	return st;
}

/* rank: of x and then of y, doubled in the law. */
static enum tape_status
whitney(const double *rank, size_t m, size_t n, double ties,
    struct tape_stat_rank *r, struct tape_err *err)
{
	const double mm = (double)m, nn = (double)n, all = mm + nn;
	struct tape_stat_law law = { 0 };
	double sum = 0;
	enum tape_status st;

	for (size_t i = 0; i < m; i++)
		sum += rank[i];
	r->n = m + n;
	r->ties = ties > 0;
	r->statistic = sum - mm * (mm + 1) / 2;
	normal(r, mm * nn / 2,
	    mm * nn / 12 * (all + 1 - ties / (all * (all - 1))));
	no_exact(r);
	if (m + n > TAPE_STAT_RANK_EXACT)
		return TAPE_OK;
	st = tape_stat_law_splits(&law, rank, m, n, err);
	if (st == TAPE_OK)
		tails(r, &law, 2 * sum);
	tape_stat_law_release(&law);
	return st;
}

enum tape_status
tape_stat_mann_whitney(struct tape_stat_sample x, struct tape_stat_sample y,
    struct tape_stat_rank *out, struct tape_err *err)
{
	struct tape_stat_rank r = { 0 };
	const size_t n = x.n + y.n;
	enum tape_status st = TAPE_OK;
	double *room, ties = 0;

	if (x.n == 0 || y.n == 0)
		return tape_err_set(err, TAPE_E_DATA, "no values to rank");
	room = tape_mem_calloc(n, 2 * sizeof(*room));
	if (room == NULL)
		return tape_err_nomem(err);
	memcpy(room, x.x, x.n * sizeof(*room));
	memcpy(room + x.n, y.x, y.n * sizeof(*room));
	st = tape_stat_midranks(room, n, room + n, &ties, err);
	if (st == TAPE_OK)
		st = whitney(room + n, x.n, y.n, ties, &r, err);
	tape_mem_free(room);
	if (st == TAPE_OK)
		*out = r;
	return st;
}

double
tape_stat_cliffs_delta(double u, size_t m, size_t n)
{
	return 2 * u / ((double)m * (double)n) - 1;
}

/* The law's smallest s with P(S <= s) >= prob. */
static size_t
reach(const struct tape_stat_law *law, double prob)
{
	const double goal = prob * (1 - 64 * DBL_EPSILON);
	double sum = 0;
	size_t s = 0;

	for (; s < law->top; s++) {
		sum += law->p[s];
		if (sum >= goal)
			break;
	}
	return s;
}

static enum tape_status
check_prob(double prob, size_t n, struct tape_err *err)
{
	if (!(prob >= 0 && prob <= 1))
		return tape_err_set(
		    err, TAPE_E_USAGE, "%g is not a probability", prob);
	if (n > TAPE_STAT_RANK_EXACT)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "%zu values: the law is known for %d", n,
		    TAPE_STAT_RANK_EXACT);
	return TAPE_OK;
}

static void
fill_ranks(double *rank, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rank[i] = (double)(i + 1);
}

enum tape_status
tape_stat_signed_rank_quantile(
    double prob, size_t n, uint64_t *v, struct tape_err *err)
{
	double rank[TAPE_STAT_RANK_EXACT];
	struct tape_stat_law law = { 0 };
	enum tape_status st = check_prob(prob, n, err);

	if (st != TAPE_OK)
		return st;
	fill_ranks(rank, n);
	st = tape_stat_law_signs(&law, rank, n, err);
	if (st == TAPE_OK)
		*v = reach(&law, prob) / 2;
	tape_stat_law_release(&law);
	return st;
}

enum tape_status
tape_stat_mann_whitney_quantile(
    double prob, size_t m, size_t n, uint64_t *u, struct tape_err *err)
{
	double rank[TAPE_STAT_RANK_EXACT];
	struct tape_stat_law law = { 0 };
	enum tape_status st = check_prob(prob, m + n, err);

	if (st != TAPE_OK)
		return st;
	fill_ranks(rank, m + n);
	st = tape_stat_law_splits(&law, rank, m, n, err);
	if (st == TAPE_OK)
		*u = reach(&law, prob) / 2 - m * (m + 1) / 2;
	tape_stat_law_release(&law);
	return st;
}

enum tape_status
tape_stat_signed_rank_p(uint64_t v, size_t n, double *p, struct tape_err *err)
{
	double rank[TAPE_STAT_RANK_EXACT];
	struct tape_stat_law law = { 0 };
	struct tape_stat_rank r = { 0 };
	enum tape_status st = check_prob(0, n, err);

	if (st != TAPE_OK)
		return st;
	fill_ranks(rank, n);
	st = tape_stat_law_signs(&law, rank, n, err);
	if (st == TAPE_OK) {
		tails(&r, &law, 2 * (double)v);
		*p = r.p_less;
	}
	tape_stat_law_release(&law);
	return st;
}
