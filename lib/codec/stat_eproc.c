/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_eproc.h"

#include "codec/stat_sort.h"

#include <math.h>
#include <string.h>

enum {
	GRID = TAPE_STAT_EPROC_GRID,
	HALVINGS = 200,
};

enum tape_status
tape_stat_eproc_init(
    struct tape_stat_eproc *e, double scale, struct tape_err *err)
{
	if (!(scale > 0) || !isfinite(scale) || !isfinite(64 / scale))
		return tape_err_set(
		    err, TAPE_E_USAGE, "scale %g is not positive", scale);
	memset(e, 0, sizeof(*e));
	for (int i = 0; i < GRID; i++)
		e->lambda[i] = exp2(0.75 * i) * 0.25 / scale;
	return TAPE_OK;
}

/* log of 2 / (1 + exp(-x)) */
static double
log_factor(double x)
{
	return x > 0 ? M_LN2 - log1p(exp(-x)) : M_LN2 + x - log1p(exp(x));
}

/* log of the mean of exp(v[0 .. 2 GRID)) */
static double
log_mean(const double *up, const double *down)
{
	double top = up[0], sum = 0;

	for (int i = 0; i < GRID; i++)
		top = fmax(top, fmax(up[i], down[i]));
	for (int i = 0; i < GRID; i++)
		sum += exp(up[i] - top) + exp(down[i] - top);
	return top + log(sum / (2 * GRID));
}

enum tape_status
tape_stat_eproc_add(struct tape_stat_eproc *e, double d, struct tape_err *err)
{
	enum tape_status st = tape_stat_check(&d, 1, err);

	if (st != TAPE_OK)
		return st;
	for (int i = 0; i < GRID; i++) {
		e->log_up[i] += log_factor(2 * e->lambda[i] * d);
		e->log_down[i] += log_factor(-2 * e->lambda[i] * d);
	}
	e->k++;
	e->log_max = fmax(e->log_max, tape_stat_eproc_log(e));
	return TAPE_OK;
}

double
tape_stat_eproc_log(const struct tape_stat_eproc *e)
{
	return log_mean(e->log_up, e->log_down);
}

double
tape_stat_eproc_p(const struct tape_stat_eproc *e)
{
	return exp(-e->log_max);
}

struct sequence {
	const double *d;
	size_t k;
	const double *lambda;
	double bar; /* log(1/alpha) */
};

enum part {
	UP,
	DOWN,
	BOTH,
};

/* log E of d - theta; of one half of the grid, its share of the mean. */
static double
log_at(const struct sequence *s, double theta, enum part part)
{
	double up[GRID] = { 0 }, down[GRID] = { 0 };

	for (int i = 0; i < GRID; i++) {
		for (size_t b = 0; b < s->k; b++) {
			const double x = 2 * s->lambda[i] * (s->d[b] - theta);

			up[i] += log_factor(x);
			down[i] += log_factor(-x);
		}
		if (part == DOWN)
			up[i] = -HUGE_VAL;
		if (part == UP)
			down[i] = -HUGE_VAL;
	}
	return log_mean(up, down);
}

/* Where log_at falls below the bar between out, where it has not, and in. */
static double
edge(const struct sequence *s, double out, double in, enum part part)
{
	for (int i = 0; i < HALVINGS; i++) {
		const double mid = out + (in - out) / 2;

		if (mid == out || mid == in)
			break;
		if (log_at(s, mid, part) >= s->bar)
			out = mid;
		else
			in = mid;
	}
	return out;
}

/*
 * The +lambda half alone falls in theta and the other rises, which brackets
 * the set; from there E itself is followed inwards to where it is small.
 */
static struct tape_stat_interval
invert(const struct sequence *s)
{
	struct tape_stat_interval far = { s->d[0], s->d[0] }, ci;
	double step = 1 / s->lambda[0], mid;

	for (size_t b = 1; b < s->k; b++) {
		far.lo = fmin(far.lo, s->d[b]);
		far.hi = fmax(far.hi, s->d[b]);
	}
	for (; log_at(s, far.lo, UP) < s->bar && step < 1e300; step *= 2)
		far.lo -= step;
	for (step = 1 / s->lambda[0];
	     log_at(s, far.hi, DOWN) < s->bar && step < 1e300; step *= 2)
		far.hi += step;
	ci.lo = edge(s, far.lo, far.hi, UP);
	ci.hi = edge(s, far.hi, far.lo, DOWN);
	mid = ci.lo + (ci.hi - ci.lo) / 2;
	if (ci.lo < ci.hi && log_at(s, mid, BOTH) < s->bar) {
		ci.lo = edge(s, ci.lo, mid, BOTH);
		ci.hi = edge(s, ci.hi, mid, BOTH);
	}
	return ci;
}

enum tape_status
tape_stat_eproc_interval(const double *d, size_t k, double scale, double alpha,
    struct tape_stat_interval *out, struct tape_err *err)
{
	struct tape_stat_eproc grid = { 0 };
	struct sequence s = { d, k, grid.lambda, -log(alpha) };
	enum tape_status st = tape_stat_eproc_init(&grid, scale, err);

	if (st == TAPE_OK)
		st = tape_stat_check(d, k, err);
	if (st != TAPE_OK)
		return st;
	if (!(alpha > 0 && alpha < 1))
		return tape_err_set(err, TAPE_E_USAGE,
		    "alpha %g is not between 0 and 1", alpha);
	/* One half of the grid reaches 2^k / 2 at most. */
	out->lo = -HUGE_VAL;
	out->hi = HUGE_VAL;
	if (k > 0 && (double)(k - 1) * M_LN2 > s.bar)
		*out = invert(&s);
	return TAPE_OK;
}

double
tape_stat_t_evalue_log(double t, size_t k, double g)
{
	const double v = (double)k - 1, more = 1 + (double)k * g;

	if (k < 2 || !(g > 0) || !isfinite(g) || !isfinite(t))
		return (double)NAN;
	return (double)k / 2 * (log1p(t * t / v) - log1p(t * t / (v * more))) -
	       log(more) / 2;
}
