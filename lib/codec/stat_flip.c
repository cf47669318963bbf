/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_flip.h"

#include "base/mem.h"
#include "codec/stat_halves.h"
#include "codec/stat_sort.h"

#include <math.h>

static const double tie = 1e-12;

struct sums {
	double observed;
	double size; /* sum |d_i| */
	double room; /* within which sums are tied */
};

static struct sums
observe(const double *d, size_t k)
{
	struct sums s = { 0, 0, 0 };

	for (size_t i = 0; i < k; i++) {
		s.observed += d[i];
		s.size += fabs(d[i]);
	}
	s.room = tie * s.size;
	return s;
}

/*
 * A flip that makes the |d_i| of a set N negative has the sum size - 2 sum_N
 * |d_i|, so S >= at counts the sets with sum_N <= (size - at)/2.  The law of S
 * is symmetric, which gives the other tails.
 */
static uint64_t
reaching(const struct tape_stat_halves *h, const struct sums *s, double at)
{
	return tape_stat_halves_count(h, (s->size - at) / 2);
}

static enum tape_status
count_all(const double *d, size_t k, const struct sums *s,
    struct tape_stat_flip *f, struct tape_err *err)
{
	double size[TAPE_STAT_FLIP_EXACT];
	const double far = fabs(s->observed) - s->room;
	struct tape_stat_halves h;
	enum tape_status st = tape_stat_halves_open(&h, k, err);

	if (st != TAPE_OK)
		return st;
	for (size_t i = 0; i < k; i++)
		size[i] = fabs(d[i]);
	tape_stat_halves_fill(&h, size);
	f->total = (uint64_t)1 << k;
	f->count_greater = reaching(&h, s, s->observed - s->room);
	f->count_less = reaching(&h, s, -s->observed - s->room);
	f->count_two = far > 0 ? 2 * reaching(&h, s, far) : f->total;
	tape_stat_halves_release(&h);
	return TAPE_OK;
}

static double
flipped(const double *d, size_t k, const uint32_t *words)
{
	double sum = 0;

	for (size_t i = 0; i < k; i++)
		sum += (words[i / 32] >> i % 32 & 1) != 0 ? -d[i] : d[i];
	return sum;
}

static void
draw(const double *d, size_t k, const struct sums *s,
    const struct tape_stat_flip_opt *opt, struct tape_stat_flip *f)
{
	uint32_t words[TAPE_STAT_SIGNS_WORDS];

	f->total = (uint64_t)opt->replicates + 1;
	f->count_two = f->count_greater = f->count_less = 1;
	for (uint32_t b = 1; b <= opt->replicates; b++) {
		double sum;

		tape_stat_signs_draw(opt, TAPE_RNG_FLIP, b, k, words);
		sum = flipped(d, k, words);
		f->count_greater += sum >= s->observed - s->room;
		f->count_less += sum <= s->observed + s->room;
		f->count_two += fabs(sum) >= fabs(s->observed) - s->room;
	}
}

enum tape_status
tape_stat_flip(const double *d, size_t k, const struct tape_stat_flip_opt *opt,
    struct tape_stat_flip *out, struct tape_err *err)
{
	struct tape_stat_flip f = { .exact = k <= TAPE_STAT_FLIP_EXACT };
	struct tape_stat_flip_opt o;
	struct sums s;
	enum tape_status st = tape_stat_signs_opt(opt, k, &o, err);

	if (st == TAPE_OK)
		st = tape_stat_check(d, k, err);
	if (st != TAPE_OK)
		return st;
	if (k == 0)
		return tape_err_set(err, TAPE_E_DATA, "no pair to flip");
	s = observe(d, k);
	if (!isfinite(s.size))
		return tape_err_set(err, TAPE_E_DATA, "values are too large");
	if (f.exact)
		st = count_all(d, k, &s, &f, err);
	else
		draw(d, k, &s, &o, &f);
	if (st != TAPE_OK)
		return st;
	f.p_two = (double)f.count_two / (double)f.total;
	f.p_greater = (double)f.count_greater / (double)f.total;
	f.p_less = (double)f.count_less / (double)f.total;
	*out = f;
	return TAPE_OK;
}

enum tape_status
tape_stat_tost_flip(const double *d, size_t k, double margin,
    const struct tape_stat_flip_opt *opt, struct tape_stat_tost *out,
    struct tape_err *err)
{
	struct tape_stat_flip low = { 0 }, high = { 0 };
	enum tape_status st = TAPE_OK;
	double *moved;

	if (!(margin > 0) || !isfinite(margin))
		return tape_err_set(
		    err, TAPE_E_USAGE, "margin %g is not positive", margin);
	moved = tape_mem_calloc(k, sizeof(*moved));
	if (moved == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < k; i++)
		moved[i] = d[i] + margin;
	st = tape_stat_flip(moved, k, opt, &low, err);
	for (size_t i = 0; i < k; i++)
		moved[i] = d[i] - margin;
	if (st == TAPE_OK)
		st = tape_stat_flip(moved, k, opt, &high, err);
	tape_mem_free(moved);
	if (st != TAPE_OK)
		return st;
	out->p_lower = low.p_greater;
	out->p_upper = high.p_less;
	out->p = fmax(out->p_lower, out->p_upper);
	return TAPE_OK;
}
