/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_change.h"

#include "base/mem.h"
#include "codec/stat_desc.h"
#include "codec/stat_neff.h"
#include "codec/stat_rng.h"
#include "codec/stat_sort.h"
#include "codec/stat_trend.h"
#include "codec/stat_ttest.h"

#include <math.h>
#include <string.h>

#define LEVEL        0.95
#define BATCHES      5 /* a half */
#define BATCHES_MANY 10
#define MANY         200
#define BLOCK        4 /* of them: times what one independent value stands for */
#define BLOCKS_MIN   10

/* The series, and room for as many more. */
struct work {
	double *y, *rank, *rest, *sorted;
	size_t m;
	double left; /* by the slope: sum of the rest's absolute values */
};

static void
take_pieces(const double *x, size_t piece, struct work *w)
{
	for (size_t i = 0; i < w->m; i++)
		w->y[i] = tape_stat_mean(x + i * piece, piece);
}

/* How many independent values the ranks of w->rest are worth. */
static enum tape_status
n_eff_of_rest(struct work *w, double *out, struct tape_err *err)
{
	struct tape_stat_neff series;
	enum tape_status st =
	    tape_stat_midranks(w->rest, w->m, w->sorted, NULL, err);

	if (st == TAPE_OK)
		st = tape_stat_neff_open(&series, w->sorted, w->m, err);
	if (st != TAPE_OK)
		return st;
	*out = tape_stat_neff_mean(&series);
	tape_stat_neff_release(&series);
	return TAPE_OK;
}

static enum tape_status
median_of(struct work *w, const double *v, size_t n, double *out,
    struct tape_err *err)
{
	enum tape_status st;

	memcpy(w->sorted, v, n * sizeof(*w->sorted));
	st = tape_stat_sort(w->sorted, n, err);
	if (st == TAPE_OK)
		*out = tape_stat_median(w->sorted, n);
	return st;
}

static double
sum_abs(const double *v, size_t n, double less)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += fabs(v[i] - less);
	return sum;
}

static enum tape_status
find_trend(struct work *w, struct tape_stat_change *c, struct tape_err *err)
{
	struct tape_stat_kendall k;
	double slope = 0, middle;
	enum tape_status st = tape_stat_theil_sen(w->y, w->m, &slope, err);

	if (st == TAPE_OK)
		st = tape_stat_kendall_trend(w->y, w->m, &k, err);
	if (st != TAPE_OK)
		return st;
	for (size_t i = 0; i < w->m; i++)
		w->rest[i] = w->y[i] - slope * (double)i;
	st = n_eff_of_rest(w, &c->n_eff, err);
	if (st == TAPE_OK)
		st = median_of(w, w->rest, w->m, &middle, err);
	if (st != TAPE_OK)
		return st;
	w->left = sum_abs(w->rest, w->m, middle);
	c->rise = slope * (double)(w->m - 1);
	c->trend_p = fmin(1,
	    2 * tape_stat_normal_q(fabs(k.z) * sqrt(c->n_eff / (double)w->m)));
	return TAPE_OK;
}

static enum tape_status
compare_halves(
    const struct work *w, struct tape_stat_change *c, struct tape_err *err)
{
	const size_t each = w->m < MANY ? BATCHES : BATCHES_MANY;
	const size_t length = w->m / 2 / each, half = each * length;
	double mean[2][BATCHES_MANY];
	struct tape_stat_ttest t;
	enum tape_status st;

	/* The first half from the front, the second from the back. */
	for (size_t i = 0; i < each; i++) {
		mean[0][i] = tape_stat_mean(w->y + i * length, length);
		mean[1][i] =
		    tape_stat_mean(w->y + w->m - half + i * length, length);
	}
	st = tape_stat_welch((struct tape_stat_sample){ mean[0], each },
	    (struct tape_stat_sample){ mean[1], each }, LEVEL, &t, err);
	if (st != TAPE_OK)
		return st;
	c->first = tape_stat_mean(mean[0], each);
	c->second = tape_stat_mean(mean[1], each);
	c->halves_p = t.p_two;
	return TAPE_OK;
}

/* The largest |sum of the first k values less their mean|, and that k. */
static double
largest_sum(const double *rank, size_t m, size_t *at)
{
	const double mean = ((double)m + 1) / 2;
	double sum = 0, most = -1;

	for (size_t i = 0; i + 1 < m; i++) {
		sum += rank[i] - mean;
		if (fabs(sum) > most) {
			most = fabs(sum);
			*at = i + 1;
		}
	}
	return most;
}

/* The ranks in blocks, whose order is drawn; a shorter one is the last of
   those drawn from. */
static void
shuffle(const double *rank, size_t m, size_t block, uint32_t *order,
    struct tape_rng *rng, double *out)
{
	const uint32_t blocks = (uint32_t)((m + block - 1) / block);
	size_t n = 0;

	for (uint32_t i = 0; i < blocks; i++)
		order[i] = i;
	for (uint32_t i = blocks; i > 1; i--) {
		const uint32_t j = tape_rng_below(rng, i);
		const uint32_t was = order[i - 1];

		order[i - 1] = order[j];
		order[j] = was;
	}
	for (uint32_t i = 0; i < blocks; i++) {
		const size_t from = order[i] * block;
		const size_t len = from + block < m ? block : m - from;

		memcpy(out + n, rank + from, len * sizeof(*out));
		n += len;
	}
}

static enum tape_status
shuffle_all(struct work *w, double most, size_t block, uint32_t row, double *p,
    struct tape_err *err)
{
	uint32_t *order = tape_mem_calloc(w->m, sizeof(*order));
	unsigned beyond = 0;
	size_t at;

	if (order == NULL)
		return tape_err_nomem(err);
	for (uint32_t b = 1; b <= TAPE_STAT_CHANGE_SHUFFLES; b++) {
		struct tape_rng rng;

		tape_rng_init(&rng, 0, TAPE_RNG_CHANGE, row, b);
		shuffle(w->rank, w->m, block, order, &rng, w->sorted);
		/* Sums of halves: exact in any order. */
		beyond += largest_sum(w->sorted, w->m, &at) >= most;
	}
	tape_mem_free(order);
	*p = (beyond + 1.0) / (TAPE_STAT_CHANGE_SHUFFLES + 1.0);
	return TAPE_OK;
}

static enum tape_status
find_step(struct work *w, uint32_t row, struct tape_stat_change *c,
    struct tape_err *err)
{
	size_t at = 0, block;
	double most, worth = 1;
	enum tape_status st =
	    tape_stat_midranks(w->y, w->m, w->rank, NULL, err);

	if (st != TAPE_OK)
		return st;
	most = largest_sum(w->rank, w->m, &at);
	st = median_of(w, w->y, at, &c->before, err);
	if (st == TAPE_OK)
		st = median_of(w, w->y + at, w->m - at, &c->after, err);
	for (size_t i = 0; i < w->m; i++)
		w->rest[i] = w->y[i] - (i < at ? c->before : c->after);
	if (st == TAPE_OK)
		st = n_eff_of_rest(w, &worth, err);
	if (st != TAPE_OK)
		return st;
	block = (size_t)ceil(BLOCK * (double)w->m / worth) - 1;
	if (block > w->m / BLOCKS_MIN)
		block = w->m / BLOCKS_MIN;
	c->step_at = at * c->piece;
	c->step_fits = sum_abs(w->rest, w->m, 0) < w->left;
	return shuffle_all(
	    w, most, block < 1 ? 1 : block, row, &c->step_p, err);
}

static bool
is_level(const struct work *w)
{
	for (size_t i = 1; i < w->m; i++)
		if (w->y[i] != w->y[0])
			return false;
	return true;
}

static enum tape_status
find_all(struct work *w, uint32_t row, struct tape_stat_change *c,
    struct tape_err *err)
{
	enum tape_status st = median_of(w, w->y, w->m, &c->median, err);

	if (is_level(w)) {
		c->n_eff = (double)w->m;
		c->first = c->second = c->before = c->after = w->y[0];
		c->trend_p = c->halves_p = c->step_p = 1;
		return st;
	}
	if (st == TAPE_OK)
		st = find_trend(w, c, err);
	if (st == TAPE_OK)
		st = compare_halves(w, c, err);
	return st == TAPE_OK ? find_step(w, row, c, err) : st;
}

enum tape_status
tape_stat_change(const double *x, size_t n, uint32_t row,
    struct tape_stat_change *out, struct tape_err *err)
{
	struct tape_stat_change c = { .piece = 1 };
	enum tape_status st = tape_stat_check(x, n, err);
	struct work w;

	if (st != TAPE_OK)
		return st;
	if (n < TAPE_STAT_CHANGE_MIN)
		return tape_err_set(err, TAPE_E_DATA,
		    "whether something changes shows from %d values on",
		    TAPE_STAT_CHANGE_MIN);
	c.piece = (n + TAPE_STAT_CHANGE_LONG - 1) / TAPE_STAT_CHANGE_LONG;
	w.m = n / c.piece;
	w.y = tape_mem_calloc(4 * w.m, sizeof(*w.y));
	if (w.y == NULL)
		return tape_err_nomem(err);
	w.rank = w.y + w.m;
	w.rest = w.rank + w.m;
	w.sorted = w.rest + w.m;
	take_pieces(x, c.piece, &w);
	st = find_all(&w, row, &c, err);
	tape_mem_free(w.y);
	if (st == TAPE_OK)
		*out = c;
	return st;
}
