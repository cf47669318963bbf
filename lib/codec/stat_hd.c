/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_hd.h"

#include "base/mem.h"
#include "codec/stat_desc.h"
#include "codec/stat_dist.h"
#include "codec/stat_sort.h"

#include <math.h>

#define FAR 9.0 /* sd of the Beta law beyond which weights are nothing */

enum {
	FLIP_FROM = 6,
	MANY = 1000,
	ROWS_MAX = 64,
};

double
tape_stat_hd(const double *sorted, size_t n, double q)
{
	const double a = ((double)n + 1) * q, b = ((double)n + 1) * (1 - q);
	/* Few values are all weighed: the law has longer tails there. */
	const double far =
	    n > MANY ? FAR * sqrt(q * (1 - q) / ((double)n + 2)) : 1;
	double sum = 0, below = 0, weights = 0;

	if (n == 0 || n > TAPE_STAT_HD_MAX || !(q > 0 && q < 1))
		return (double)NAN;
	for (size_t i = 0; i < n; i++) {
		const double at = (double)(i + 1) / (double)n;
		double upto;

		if (at < q - far)
			continue;
		upto = i + 1 == n ? 1 : tape_stat_beta_p(at, a, b);
		sum += (upto - below) * sorted[i];
		weights += upto - below;
		below = upto;
		if (at > q + far)
			break;
	}
	return sum / weights;
}

double
tape_stat_cliff(const double *x, size_t m, const double *y, size_t n)
{
	size_t less = 0, upto = 0;
	double sum = 0;

	if (m == 0 || n == 0)
		return (double)NAN;
	for (size_t i = 0; i < m; i++) {
		while (less < n && y[less] < x[i])
			less++;
		while (upto < n && y[upto] <= x[i])
			upto++;
		sum += (double)less - (double)(n - upto);
	}
	return sum / ((double)m * (double)n);
}

struct band {
	const double *d;
	size_t rows, k;
	double *e;   /* deviations over sqrt(k sum e^2) */
	double *top; /* of each vector: the largest u of all rows */
	size_t n;
	double se[ROWS_MAX];
};

static void
deviate(struct band *b)
{
	for (size_t j = 0; j < b->rows; j++) {
		const double *d = b->d + j * b->k;
		const double mean = tape_stat_mean(d, b->k);
		double squares = 0, scale;

		for (size_t i = 0; i < b->k; i++)
			squares += (d[i] - mean) * (d[i] - mean);
		b->se[j] = sqrt(squares / ((double)b->k - 1) / (double)b->k);
		scale = squares > 0 ? 1 / sqrt((double)b->k * squares) : 0;
		for (size_t i = 0; i < b->k; i++)
			b->e[j * b->k + i] = (d[i] - mean) * scale;
	}
}

/* u = |sum e| of the flipped deviations, from which t follows (stat_maxt.h). */
static double
largest(const struct band *b, const uint32_t *signs)
{
	double top = 0;

	for (size_t j = 0; j < b->rows; j++) {
		double sum = 0;

		for (size_t i = 0; i < b->k; i++) {
			const double e = b->e[j * b->k + i];

			sum += (signs[i / 32] >> i % 32 & 1) != 0 ? -e : e;
		}
		top = fmax(top, fabs(sum));
	}
	return top;
}

static void
flip_all(struct band *b, const struct tape_stat_flip_opt *opt)
{
	uint32_t words[TAPE_STAT_SIGNS_WORDS] = { 0 };

	for (size_t v = 0; v < b->n; v++) {
		if (b->k <= TAPE_STAT_BAND_EXACT)
			words[0] = (uint32_t)v;
		else
			tape_stat_signs_draw(
			    opt, TAPE_RNG_MAXT, (uint32_t)v + 1, b->k, words);
		b->top[v] = largest(b, words);
	}
}

/* The t that no more than 1 - level of the vectors exceed. */
static double
critical(const struct band *b, double level)
{
	size_t at = (size_t)ceil(level * (double)b->n - 1e-9);
	double u = b->top[at > 0 ? at - 1 : 0];

	if (u >= 1)
		return HUGE_VAL;
	return u * sqrt(((double)b->k - 1) / (1 - u * u));
}

static enum tape_status
by_flips(struct band *b, double level, const struct tape_stat_flip_opt *opt,
    double *c, struct tape_err *err)
{
	enum tape_status st;

	b->n = b->k <= TAPE_STAT_BAND_EXACT ? (size_t)1 << (b->k - 1)
					    : TAPE_STAT_BAND_DRAWS;
	b->top = tape_mem_calloc(b->n, sizeof(*b->top));
	if (b->top == NULL)
		return tape_err_nomem(err);
	flip_all(b, opt);
	st = tape_stat_sort(b->top, b->n, err);
	if (st == TAPE_OK)
		*c = critical(b, level);
	tape_mem_free(b->top);
	return st;
}

/* The critical |t| for k > 1 pairs. */
static enum tape_status
find_critical(struct band *b, double level,
    const struct tape_stat_flip_opt *opt, double *c, struct tape_err *err)
{
	deviate(b);
	if (b->k >= FLIP_FROM)
		return by_flips(b, level, opt, c, err);
	*c = tape_stat_t_pinv(
	    1 - (1 - level) / 2 / (double)b->rows, (double)b->k - 1);
	return TAPE_OK;
}

static enum tape_status
check(const double *d, size_t rows, size_t k, struct tape_err *err)
{
	if (rows == 0 || rows > ROWS_MAX || k == 0)
		return tape_err_set(
		    err, TAPE_E_DATA, "%zu rows of %zu pairs", rows, k);
	return tape_stat_check(d, rows * k, err);
}

enum tape_status
tape_stat_band(const struct tape_stat_rows *in, double level,
    const struct tape_stat_flip_opt *opt, double *half, struct tape_err *err)
{
	struct tape_stat_flip_opt o;
	struct band b = { .d = in->d, .rows = in->rows, .k = in->k };
	double c = HUGE_VAL;
	enum tape_status st = tape_stat_signs_opt(opt, in->k, &o, err);

	if (st == TAPE_OK)
		st = check(in->d, in->rows, in->k, err);
	if (st != TAPE_OK)
		return st;
	b.e = tape_mem_calloc(in->rows * in->k, sizeof(*b.e));
	if (b.e == NULL)
		return tape_err_nomem(err);
	if (in->k > 1)
		st = find_critical(&b, level, &o, &c, err);
	for (size_t j = 0; j < in->rows && st == TAPE_OK; j++) {
		half[j] = b.se[j] > 0 ? c * b.se[j] : 0;
		if (in->k < 2)
			half[j] = HUGE_VAL;
	}
	tape_mem_free(b.e);
	return st;
}
