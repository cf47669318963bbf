/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_hl.h"

#include "base/mem.h"
#include "codec/stat_desc.h"
#include "codec/stat_rank.h"
#include "codec/stat_rankdp.h"
#include "codec/stat_sort.h"

#include <math.h>

/* The rank q of the lower end, at least 1, and the level it achieves. */
struct ends {
	size_t q;
	double level;
};

static struct ends
from_law(const struct tape_stat_law *law, size_t least, double level)
{
	const double tail = (1 - level) / 2 * (1 - 1e-13);
	struct ends e = { 0, 1 };
	double below = 0; /* P(statistic < q) */

	/* Sums of whole ranks are the even ones, from 2 least on. */
	for (size_t s = 2 * least; s < law->top; s += 2, e.q++) {
		if (e.q > 0 && below + law->p[s] >= tail)
			break;
		below += law->p[s];
	}
	e.level = 1 - 2 * below;
	return e;
}

static struct ends
from_normal(double centre, double variance, double level)
{
	const double z = tape_stat_normal_pinv((1 + level) / 2);
	const double q = floor(centre - z * sqrt(variance));
	struct ends e;

	e.q = q < 1 ? 1 : (size_t)q;
	e.level = 1 - 2 * tape_stat_normal_q(
			      (centre + 0.5 - (double)e.q) / sqrt(variance));
	return e;
}

static enum tape_status
finish(double *w, size_t n, struct ends e, struct tape_stat_hl *out,
    struct tape_err *err)
{
	enum tape_status st = tape_stat_sort(w, n, err);

	if (st != TAPE_OK)
		return st;
	out->estimate = tape_stat_median(w, n);
	out->ci.lo = w[e.q - 1];
	out->ci.hi = w[n - e.q];
	out->level = e.level;
	return TAPE_OK;
}

static enum tape_status
check(const double *d, size_t n, double level, struct tape_err *err)
{
	if (!(level > 0 && level < 1))
		return tape_err_set(err, TAPE_E_USAGE,
		    "level %g is not between 0 and 1", level);
	if (n == 0)
		return tape_err_set(err, TAPE_E_DATA, "no values");
	return tape_stat_check(d, n, err);
}

static enum tape_status
room_for(double n, double **w, struct tape_err *err)
{
	if (n > TAPE_STAT_HL_MAX)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "%.0f averages: at most %d", n, TAPE_STAT_HL_MAX);
	*w = tape_mem_realloc(NULL, (size_t)n, sizeof(**w));
	return *w == NULL ? tape_err_nomem(err) : TAPE_OK;
}

static enum tape_status
walsh_ends(size_t n, double level, struct ends *e, struct tape_err *err)
{
	const double m = (double)n;
	double rank[TAPE_STAT_RANK_EXACT];
	struct tape_stat_law law = { 0 };
	enum tape_status st = TAPE_OK;

	if (n > TAPE_STAT_RANK_EXACT) {
		*e = from_normal(
		    m * (m + 1) / 4, m * (m + 1) * (2 * m + 1) / 24, level);
		return TAPE_OK;
	}
	for (size_t i = 0; i < n; i++)
		rank[i] = (double)(i + 1);
	st = tape_stat_law_signs(&law, rank, n, err);
	if (st == TAPE_OK)
		*e = from_law(&law, 0, level);
	tape_stat_law_release(&law);
	return st;
}

enum tape_status
tape_stat_hodges_lehmann(const double *d, size_t n, double level,
    struct tape_stat_hl *out, struct tape_err *err)
{
	const double pairs = (double)n * ((double)n + 1) / 2;
	struct ends e = { 1, 0 };
	double *w = NULL;
	size_t at = 0;
	enum tape_status st = check(d, n, level, err);

	if (st == TAPE_OK)
		st = walsh_ends(n, level, &e, err);
	if (st == TAPE_OK)
		st = room_for(pairs, &w, err);
	if (st != TAPE_OK || w == NULL)
		return st;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i; j < n; j++)
			w[at++] = d[i] / 2 + d[j] / 2;
	st = finish(w, at, e, out, err);
	tape_mem_free(w);
	return st;
}

static enum tape_status
shift_ends(
    size_t m, size_t n, double level, struct ends *e, struct tape_err *err)
{
	const double mn = (double)m * (double)n;
	double rank[TAPE_STAT_RANK_EXACT];
	struct tape_stat_law law = { 0 };
	enum tape_status st = TAPE_OK;

	if (m + n > TAPE_STAT_RANK_EXACT) {
		*e = from_normal(mn / 2, mn * (double)(m + n + 1) / 12, level);
		return TAPE_OK;
	}
	for (size_t i = 0; i < m + n; i++)
		rank[i] = (double)(i + 1);
	st = tape_stat_law_splits(&law, rank, m, n, err);
	if (st == TAPE_OK)
		*e = from_law(&law, m * (m + 1) / 2, level);
	tape_stat_law_release(&law);
	return st;
}

enum tape_status
tape_stat_shift(struct tape_stat_sample x, struct tape_stat_sample y,
    double level, struct tape_stat_hl *out, struct tape_err *err)
{
	struct ends e = { 1, 0 };
	double *w = NULL;
	size_t at = 0;
	enum tape_status st = check(x.x, x.n, level, err);

	if (st == TAPE_OK)
		st = check(y.x, y.n, level, err);
	if (st == TAPE_OK)
		st = shift_ends(x.n, y.n, level, &e, err);
	if (st == TAPE_OK)
		st = room_for((double)x.n * (double)y.n, &w, err);
	if (st != TAPE_OK || w == NULL)
		return st;
	for (size_t i = 0; i < x.n; i++)
		for (size_t j = 0; j < y.n; j++)
			w[at++] = x.x[i] - y.x[j];
	st = finish(w, at, e, out, err);
	tape_mem_free(w);
	return st;
}
