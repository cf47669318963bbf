/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_flipci.h"

#include "base/mem.h"
#include "codec/stat_halves.h"
#include "codec/stat_sort.h"

#include <math.h>
#include <stdbool.h>

enum {
	LISTED = 16,
	TRUSTED = 25,
	STEPS = 100,
};

static uint64_t
rank_of(double level, uint64_t half)
{
	/* The grain keeps a product that should be whole from falling short. */
	return (uint64_t)floor((1 - level) * (double)half + 1e-9);
}

/* Ends from sorted means, of which always more lie beyond either end. */
static void
pick(const double *means, size_t n, uint64_t r, uint64_t always,
    struct tape_stat_interval *ci)
{
	ci->lo = -HUGE_VAL;
	ci->hi = HUGE_VAL;
	if (r <= always || r - always > n)
		return;
	ci->lo = means[r - always - 1];
	ci->hi = means[n - (size_t)(r - always)];
}

static enum tape_status
by_list(const double *d, size_t k, uint64_t r, struct tape_stat_interval *ci,
    struct tape_err *err)
{
	const size_t n = (size_t)1 << k;
	double *sums = tape_mem_realloc(NULL, n, sizeof(*sums));
	enum tape_status st;

	if (sums == NULL)
		return tape_err_nomem(err);
	sums[0] = 0;
	for (size_t set = 1; set < n; set++)
		sums[set] = sums[set & (set - 1)] + d[__builtin_ctzll(set)];
	for (size_t set = 1; set < n; set++)
		sums[set] /= __builtin_popcountll(set);
	st = tape_stat_sort(sums + 1, n - 1, err);
	if (st == TAPE_OK)
		pick(sums + 1, n - 1, r, 0, ci);
	tape_mem_free(sums);
	return st;
}

/* Non-empty subsets with a mean <= theta, of sign * d. */
static uint64_t
count_means(
    struct tape_stat_halves *h, const double *d, double sign, double theta)
{
	double moved[TAPE_STAT_HALVES_MAX];

	for (size_t i = 0; i < h->k; i++)
		moved[i] = sign * d[i] - theta;
	tape_stat_halves_fill(h, moved);
	return tape_stat_halves_count(h, 0) - 1;
}

/* A bracket of the root: the scaled count below and above the goal. */
struct bracket {
	double lo, hi;
	double at_lo, at_hi;
	int side; /* which end moved last */
};

/* Illinois: an end that stays twice is given half its weight. */
static void
narrow(struct bracket *b, double theta, double at)
{
	const int side = at < 0 ? -1 : 1;

	if (side < 0) {
		b->lo = theta;
		b->at_lo = at;
		b->at_hi /= b->side == side ? 2 : 1;
	} else {
		b->hi = theta;
		b->at_hi = at;
		b->at_lo /= b->side == side ? 2 : 1;
	}
	b->side = side;
}

/*
 * Smallest theta that r subset means do not exceed.  On the scale of normal
 * quantiles the count is nearly a straight line in theta, so regula falsi
 * needs a dozen counts where halving needs forty.  Counts are steps, of which
 * the goal is between two; should that mislead it, halving takes over.
 */
static double
search(struct tape_stat_halves *h, const double *d, double sign, uint64_t r,
    struct tape_stat_interval range)
{
	const double total = ldexp(1, (int)h->k);
	const double goal = tape_stat_normal_pinv(((double)r + 0.5) / total);
	const double far = tape_stat_normal_pinv(1 / total);
	const double grain = 1e-12 * (range.hi - range.lo);
	struct bracket b = { range.lo - grain, range.hi, far - goal,
		-far - goal, 0 };

	for (int i = 0; i < STEPS && b.hi - b.lo > grain; i++) {
		double n, theta = b.lo +
				  (b.hi - b.lo) * b.at_lo / (b.at_lo - b.at_hi);

		if (i >= TRUSTED || !(theta > b.lo && theta < b.hi))
			theta = b.lo + (b.hi - b.lo) / 2;
		n = (double)count_means(h, d, sign, theta) + 1;
		narrow(&b, theta,
		    tape_stat_normal_pinv(fmin(n, total - 1) / total) - goal);
	}
	return b.hi;
}

static enum tape_status
by_search(const double *d, size_t k, uint64_t r, struct tape_stat_interval *ci,
    struct tape_err *err)
{
	struct tape_stat_interval range = { d[0], d[0] };
	struct tape_stat_halves h;
	enum tape_status st = tape_stat_halves_open(&h, k, err);

	if (st != TAPE_OK)
		return st;
	for (size_t i = 1; i < k; i++) {
		range.lo = fmin(range.lo, d[i]);
		range.hi = fmax(range.hi, d[i]);
	}
	*ci = range;
	if (range.lo < range.hi) {
		const struct tape_stat_interval mirror = { -range.hi,
			-range.lo };

		ci->lo = search(&h, d, 1, r, range);
		ci->hi = -search(&h, d, -1, r, mirror);
	}
	tape_stat_halves_release(&h);
	return TAPE_OK;
}

/* Mean of the pairs that words makes negative, and of the others. */
static bool
two_means(const double *d, size_t k, const uint32_t *words, double out[2])
{
	double sum[2] = { 0, 0 };
	size_t n = 0;

	for (size_t i = 0; i < k; i++) {
		const size_t minus = words[i / 32] >> i % 32 & 1;

		sum[minus] += d[i];
		n += minus;
	}
	if (n == 0 || n == k)
		return false;
	out[0] = sum[1] / (double)n;
	out[1] = sum[0] / (double)(k - n);
	return true;
}

static enum tape_status
by_draws(const double *d, size_t k, uint64_t r,
    const struct tape_stat_flip_opt *opt, struct tape_stat_interval *ci,
    struct tape_err *err)
{
	uint32_t words[TAPE_STAT_SIGNS_WORDS];
	double *means =
	    tape_mem_realloc(NULL, 2 * (size_t)opt->replicates, sizeof(*means));
	uint64_t always = 0;
	size_t n = 0;
	enum tape_status st;

	if (means == NULL)
		return tape_err_nomem(err);
	for (uint32_t b = 1; b <= opt->replicates; b++) {
		tape_stat_signs_draw(opt, TAPE_RNG_FLIP, b, k, words);
		if (two_means(d, k, words, means + n))
			n += 2;
		else /* the observed sum or its mirror: never beaten */
			always++;
	}
	st = tape_stat_sort(means, n, err);
	if (st == TAPE_OK)
		pick(means, n, r, always, ci);
	tape_mem_free(means);
	return st;
}

enum tape_status
tape_stat_flipci(const double *d, size_t k, double level,
    const struct tape_stat_flip_opt *opt, struct tape_stat_flipci *out,
    struct tape_err *err)
{
	struct tape_stat_interval ci = { -HUGE_VAL, HUGE_VAL };
	struct tape_stat_flip_opt o;
	uint64_t half, r;
	enum tape_status st = tape_stat_signs_opt(opt, k, &o, err);

	if (st == TAPE_OK)
		st = tape_stat_check(d, k, err);
	if (st != TAPE_OK)
		return st;
	if (!(level > 0 && level < 1))
		return tape_err_set(err, TAPE_E_USAGE,
		    "level %g is not between 0 and 1", level);
	if (k == 0)
		return tape_err_set(err, TAPE_E_DATA, "no pair to flip");
	half = k <= TAPE_STAT_HALVES_MAX ? (uint64_t)1 << (k - 1)
					 : (uint64_t)o.replicates + 1;
	r = rank_of(level, half);
	if (r == 0)
		st = TAPE_OK;
	else if (k <= LISTED)
		st = by_list(d, k, r, &ci, err);
	else if (k <= TAPE_STAT_HALVES_MAX)
		st = by_search(d, k, r, &ci, err);
	else
		st = by_draws(d, k, r, &o, &ci, err);
	if (st != TAPE_OK)
		return st;
	out->ci = ci;
	out->level = 1 - (double)r / (double)half;
	return TAPE_OK;
}
