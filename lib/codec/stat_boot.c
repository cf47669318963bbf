/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_boot.h"

#include "base/mem.h"
#include "codec/stat_desc.h"
#include "codec/stat_sort.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int
by_value(const void *x, const void *y)
{
	const struct tape_stat_boot_item *a = x, *b = y;

	if (a->v < b->v || a->v > b->v)
		return a->v < b->v ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

void
tape_stat_boot_sort(struct tape_stat_boot_item *v, size_t n)
{
	if (n > 0)
		qsort(v, n, sizeof(*v), by_value);
}

static size_t
times(const struct tape_stat_boot_sample *s, const uint32_t *count, size_t i)
{
	return count == NULL ? 1 : count[s->v[i].at];
}

/* Mean of the ranks lo .. hi - 1, from 0, of the sample as it was drawn. */
static double
mean_of_ranks(const struct tape_stat_boot_sample *s, const uint32_t *count,
    size_t lo, size_t hi)
{
	double sum = 0;
	size_t rank = 0;

	for (size_t i = 0; i < s->n && rank < hi; i++) {
		size_t from = rank < lo ? lo : rank, to;

		rank += times(s, count, i);
		to = rank < hi ? rank : hi;
		if (to > from)
			sum += (double)(to - from) * s->v[i].v;
	}
	return sum / (double)(hi - lo);
}

static double
quantile(const struct tape_stat_boot_sample *s, const uint32_t *count, double q)
{
	double h = q * (double)(s->n - 1), part = h - floor(h), low;
	size_t at = (size_t)h;

	low = mean_of_ranks(s, count, at, at + 1);
	if (at + 1 >= s->n || !(part > 0))
		return low;
	return low + part * (mean_of_ranks(s, count, at + 1, at + 2) - low);
}

double
tape_stat_boot_value(const struct tape_stat_boot_statistic *what,
    const struct tape_stat_boot_sample *s, const uint32_t *count)
{
	size_t cut = 0;
	double v;

	if (s->n == 0)
		return (double)NAN;
	if (what->kind == TAPE_STAT_BOOT_TRIMMED)
		cut = (size_t)(what->at * (double)s->n);
	if (what->kind == TAPE_STAT_BOOT_QUANTILE)
		v = quantile(s, count, what->at);
	else if (2 * cut >= s->n)
		v = quantile(s, count, 0.5);
	else
		v = mean_of_ranks(s, count, cut, s->n - cut);
	return what->log ? log(v) : v;
}

void
tape_stat_boot_draw(struct tape_rng *r, uint32_t *count, size_t n)
{
	memset(count, 0, n * sizeof(*count));
	for (size_t i = 0; i < n; i++)
		count[tape_rng_below(r, (uint32_t)n)]++;
}

/* What every replicate works on. */
struct work {
	const struct tape_stat_boot_pairs *in;
	size_t k;
	double centre;   /* mean d of the samples as they are */
	double *d;       /* k: of a replicate */
	double *t;       /* of all replicates */
	double *mean;    /* likewise */
	uint32_t *count; /* for the largest sample */
};

/* The number of a pair; its requests drawn anew, or with r NULL as they are. */
static double
pair_value(const struct work *w, const struct tape_stat_boot_pair *p,
    struct tape_rng *r)
{
	uint32_t *count = r == NULL ? NULL : w->count;
	double v[2] = { 0, 0 };

	if (p->sample[0].n == 0 && p->sample[1].n == 0)
		return p->fixed;
	for (size_t i = 0; i < 2; i++) {
		const struct tape_stat_boot_sample *s = &p->sample[i];

		if (s->n == 0)
			continue;
		if (r != NULL && !(i == 1 && p->together))
			tape_stat_boot_draw(r, count, s->n);
		v[i] = tape_stat_boot_value(&w->in->what, s, count);
	}
	return v[1] - v[0];
}

/* Without any spread t* is beyond all others, unless nothing moved. */
static double
studentise(double moved, double sd, size_t k)
{
	if (sd > 0)
		return moved / (sd / sqrt((double)k));
	if (moved < 0 || moved > 0)
		return moved > 0 ? DBL_MAX : -DBL_MAX;
	return 0;
}

static void
replicate(
    const struct work *w, const struct tape_stat_boot_opt *opt, uint32_t b)
{
	struct tape_rng r;

	tape_rng_init(&r, opt->seed, TAPE_RNG_BOOTSTRAP, opt->row, b + 1);
	for (size_t i = 0; i < w->k; i++) {
		uint32_t which = tape_rng_below(&r, (uint32_t)w->k);

		w->d[i] = pair_value(w, &w->in->v[which], &r);
	}
	w->mean[b] = tape_stat_mean(w->d, w->k);
	w->t[b] =
	    studentise(w->mean[b] - w->centre, tape_stat_sd(w->d, w->k), w->k);
}

/* Away from mean d by t; 0 times a t* without bound is still none. */
static double
end_at(double mean, double t, double se)
{
	if (fabs(t) < DBL_MAX)
		return mean - t * se;
	return t > 0 ? -HUGE_VAL : HUGE_VAL;
}

static enum tape_status
conclude(struct work *w, double level, uint32_t replicates,
    struct tape_stat_boot *out, struct tape_err *err)
{
	const double *d = w->in->d;
	double se = tape_stat_sd(d, w->k) / sqrt((double)w->k);
	double mean = tape_stat_mean(d, w->k);
	uint32_t rank = (uint32_t)((1 - level) / 2 * (replicates + 1.0) + 1e-9);
	enum tape_status st = tape_stat_sort(w->t, replicates, err);

	if (st != TAPE_OK)
		return st;
	out->ci.lo = end_at(mean, w->t[replicates - rank], se);
	out->ci.hi = end_at(mean, w->t[rank - 1], se);
	out->mean = tape_stat_mean(w->mean, replicates);
	out->sd = tape_stat_sd(w->mean, replicates);
	out->replicates = replicates;
	return TAPE_OK;
}

static enum tape_status
check(const struct tape_stat_boot_pairs *in, size_t *most, struct tape_err *err)
{
	*most = 1;
	if (in->k < 2)
		return tape_err_set(
		    err, TAPE_E_DATA, "a bootstrap needs two pairs");
	for (size_t i = 0; i < in->k; i++) {
		if (!isfinite(in->d[i]))
			return tape_err_set(
			    err, TAPE_E_DATA, "value is not finite");
		for (size_t j = 0; j < 2; j++)
			if (in->v[i].sample[j].n > *most)
				*most = in->v[i].sample[j].n;
	}
	if (*most > UINT32_MAX || in->k > UINT32_MAX)
		return tape_err_set(
		    err, TAPE_E_LIMIT, "too much for a bootstrap");
	return TAPE_OK;
}

static enum tape_status
centre(struct work *w, struct tape_err *err)
{
	for (size_t i = 0; i < w->k; i++) {
		w->d[i] = pair_value(w, &w->in->v[i], NULL);
		if (!isfinite(w->d[i]))
			return tape_err_set(
			    err, TAPE_E_DATA, "value is not finite");
	}
	w->centre = tape_stat_mean(w->d, w->k);
	return TAPE_OK;
}

enum tape_status
tape_stat_boot_t(const struct tape_stat_boot_pairs *pairs, double level,
    const struct tape_stat_boot_opt *opt, struct tape_stat_boot *out,
    struct tape_err *err)
{
	struct work w = { .in = pairs, .k = pairs->k };
	uint32_t n =
	    opt->replicates == 0 ? TAPE_STAT_BOOT_REPLICATES : opt->replicates;
	size_t most;
	enum tape_status st = check(pairs, &most, err);

	if (st != TAPE_OK)
		return st;
	if (!(level > 0 && level < 1) || (1 - level) / 2 * (n + 1.0) + 1e-9 < 1)
		return tape_err_set(
		    err, TAPE_E_USAGE, "too few replicates for the level");
	w.d = tape_mem_calloc(w.k, sizeof(*w.d));
	w.t = tape_mem_calloc(n, sizeof(*w.t));
	w.mean = tape_mem_calloc(n, sizeof(*w.mean));
	w.count = tape_mem_calloc(most, sizeof(*w.count));
	if (w.d == NULL || w.t == NULL || w.mean == NULL || w.count == NULL)
		st = tape_err_nomem(err);
	if (st == TAPE_OK)
		st = centre(&w, err);
	for (uint32_t b = 0; b < n && st == TAPE_OK; b++)
		replicate(&w, opt, b);
	if (st == TAPE_OK)
		st = conclude(&w, level, n, out, err);
	tape_mem_free(w.d);
	tape_mem_free(w.t);
	tape_mem_free(w.mean);
	tape_mem_free(w.count);
	return st;
}
