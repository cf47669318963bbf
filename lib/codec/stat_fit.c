/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_fit.h"

#include "codec/stat_desc.h"
#include "codec/stat_gsl.h"
#include "codec/stat_sort.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <gsl/gsl_fit.h>
#include <gsl/gsl_multifit.h>

enum {
	TERMS = 3, /* intercept, arm, time */
};

static void
test(struct tape_stat_coef *c, double level)
{
	c->ci.lo = c->ci.hi = c->value;
	if (c->se > 0) {
		const double t = tape_stat_t_pinv(0.5 + level / 2, c->df);

		c->t = c->value / c->se;
		c->ci.lo -= t * c->se;
		c->ci.hi += t * c->se;
	} else {
		c->t = c->value == 0 ? 0 : copysign(HUGE_VAL, c->value);
	}
	c->p = fmin(1, 2 * tape_stat_t_q(fabs(c->t), c->df));
}

static enum tape_status
check_level(double level, struct tape_err *err)
{
	if (level > 0 && level < 1)
		return TAPE_OK;
	return tape_err_set(
	    err, TAPE_E_USAGE, "level %g is not between 0 and 1", level);
}

static bool
varies(const double *x, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (x[i] != x[0])
			return true;
	return false;
}

enum tape_status
tape_stat_fit_line(const double *x, const double *y, size_t n, double level,
    struct tape_stat_line *out, struct tape_err *err)
{
	struct tape_stat_line l = { 0 };
	double c00, c01, c11, squares;
	enum tape_status st = check_level(level, err);

	if (st == TAPE_OK)
		st = tape_stat_check(x, n, err);
	if (st == TAPE_OK)
		st = tape_stat_check(y, n, err);
	if (st != TAPE_OK)
		return st;
	if (n < 3 || !varies(x, n))
		return tape_err_set(err, TAPE_E_DATA,
		    "a line needs 3 points that are not above each other");
	tape_stat_gsl_quiet();
	if (gsl_fit_linear(x, 1, y, 1, n, &l.intercept, &l.slope.value, &c00,
		&c01, &c11, &squares) != 0)
		return tape_err_set(err, TAPE_E_DATA, "no line fits");
	l.slope.se = sqrt(c11);
	l.slope.df = (double)(n - 2);
	test(&l.slope, level);
	*out = l;
	return TAPE_OK;
}

struct fit {
	gsl_matrix *x;
	gsl_vector *y;
	gsl_vector *c;
	gsl_matrix *cov;
	gsl_multifit_linear_workspace *work;
};

static void
release(struct fit *f)
{
	/* GSL's own functions take NULL too. */
	gsl_matrix_free(f->x);
	gsl_vector_free(f->y);
	gsl_vector_free(f->c);
	gsl_matrix_free(f->cov);
	gsl_multifit_linear_free(f->work);
}

static enum tape_status
open_fit(struct fit *f, size_t n, struct tape_err *err)
{
	memset(f, 0, sizeof(*f));
	f->x = gsl_matrix_alloc(n, TERMS);
	f->y = gsl_vector_alloc(n);
	f->c = gsl_vector_alloc(TERMS);
	f->cov = gsl_matrix_alloc(TERMS, TERMS);
	f->work = gsl_multifit_linear_alloc(n, TERMS);
	if (f->x != NULL && f->y != NULL && f->c != NULL && f->cov != NULL &&
	    f->work != NULL)
		return TAPE_OK;
	release(f);
	return tape_err_nomem(err);
}

/* Centre and range of the times, which bring them to -1/2 .. 1/2. */
struct scale {
	double mid;
	double range;
};

static struct scale
time_scale(const struct tape_stat_run *run, size_t n)
{
	double lo = run[0].time, hi = run[0].time;

	for (size_t i = 1; i < n; i++) {
		lo = fmin(lo, run[i].time);
		hi = fmax(hi, run[i].time);
	}
	return (struct scale){ lo + (hi - lo) / 2, hi - lo };
}

static enum tape_status
check_runs(const struct tape_stat_run *run, size_t n, struct tape_err *err)
{
	size_t b = 0;

	for (size_t i = 0; i < n; i++) {
		if (!isfinite(run[i].y) || !isfinite(run[i].time) ||
		    (run[i].arm != 0 && run[i].arm != 1))
			return tape_err_set(err, TAPE_E_DATA,
			    "run %zu of %zu is not finite", i + 1, n);
		b += run[i].arm == 1;
	}
	if (n < 4 || b == 0 || b == n)
		return tape_err_set(err, TAPE_E_DATA,
		    "%zu runs, %zu of them of B: 4 and both arms are needed", n,
		    b);
	return TAPE_OK;
}

static struct tape_stat_coef
coefficient(const struct fit *f, size_t i, double df)
{
	return (struct tape_stat_coef){ .value = gsl_vector_get(f->c, i),
		.se = sqrt(fmax(0, gsl_matrix_get(f->cov, i, i))),
		.df = df };
}

enum tape_status
tape_stat_fit_ancova(const struct tape_stat_run *run, size_t n, double level,
    struct tape_stat_ancova *out, struct tape_err *err)
{
	struct tape_stat_ancova a;
	struct scale s;
	struct fit f;
	double squares;
	size_t rank = 0;
	int failed;
	enum tape_status st = check_level(level, err);

	if (st == TAPE_OK)
		st = check_runs(run, n, err);
	if (st != TAPE_OK)
		return st;
	s = time_scale(run, n);
	if (!(s.range > 0) || !isfinite(s.range))
		return tape_err_set(
		    err, TAPE_E_DATA, "all runs have the same time");
	tape_stat_gsl_quiet();
	st = open_fit(&f, n, err);
	if (st != TAPE_OK)
		return st;
	for (size_t i = 0; i < n; i++) {
		gsl_matrix_set(f.x, i, 0, 1);
		gsl_matrix_set(f.x, i, 1, run[i].arm);
		gsl_matrix_set(f.x, i, 2, (run[i].time - s.mid) / s.range);
		gsl_vector_set(f.y, i, run[i].y);
	}
	failed = gsl_multifit_linear_tsvd(
	    f.x, f.y, 1e-10, f.c, f.cov, &squares, &rank, f.work);
	a.arm = coefficient(&f, 1, (double)(n - TERMS));
	a.time = coefficient(&f, 2, (double)(n - TERMS));
	release(&f);
	if (failed != 0 || rank < TERMS)
		return tape_err_set(err, TAPE_E_DATA,
		    "arm and time of the runs determine each other");
	a.time.value /= s.range;
	a.time.se /= s.range;
	test(&a.arm, level);
	test(&a.time, level);
	*out = a;
	return TAPE_OK;
}
