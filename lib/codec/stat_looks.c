/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_looks.h"

#include "base/mem.h"
#include "codec/stat_dist.h"
#include "codec/stat_gsl.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_integration.h>

enum {
	NODES = 256,
	HALVINGS = 80,
};

#define Z_MAX 38.0 /* beyond, the normal tail is 0 */

double
tape_stat_spent(enum tape_stat_spending kind, double t, double alpha)
{
	if (!(t >= 0 && t <= 1) || !(alpha > 0 && alpha < 1))
		return (double)NAN;
	if (kind == TAPE_STAT_POCOCK)
		return alpha * log1p((M_E - 1) * t);
	if (t == 0)
		return 0;
	return 4 * tape_stat_normal_q(
		       tape_stat_normal_pinv(1 - alpha / 4) / sqrt(t));
}

/*
 * Paths of Brownian motion at time t that have not crossed: their density at
 * the nodes, times the weights of the nodes.
 */
struct paths {
	double t;
	double at[NODES];
	double mass[NODES];
};

/* Of the paths, how many are beyond +-b after dt more. */
static double
crossing(const struct paths *p, double dt, double b)
{
	const double s = sqrt(dt);
	double sum = 0;

	if (p->t == 0)
		return 2 * tape_stat_normal_q(b / s);
	for (int i = 0; i < NODES; i++)
		sum += p->mass[i] * (tape_stat_normal_q((b - p->at[i]) / s) +
					tape_stat_normal_q((b + p->at[i]) / s));
	return sum;
}

/* Bound b at which the share spent crosses; falls in b. */
static double
solve(const struct paths *p, double dt, double t, double share)
{
	double lo = 0, hi = Z_MAX * sqrt(t);

	for (int i = 0; i < HALVINGS; i++) {
		const double mid = (lo + hi) / 2;

		if (crossing(p, dt, mid) > share)
			lo = mid;
		else
			hi = mid;
	}
	return hi;
}

static double
bell(double x, double dt)
{
	return exp(-x * x / (2 * dt)) / sqrt(2 * M_PI * dt);
}

/* The paths dt later, less those beyond +-b. */
static void
advance(struct paths *p, double dt, double b,
    const gsl_integration_glfixed_table *table)
{
	struct paths next = { .t = p->t + dt };

	for (size_t i = 0; i < NODES; i++) {
		double sum = 0, weight = 0;

		(void)gsl_integration_glfixed_point(
		    -b, b, i, &next.at[i], &weight, table);
		if (p->t == 0)
			sum = bell(next.at[i], dt);
		else
			for (int j = 0; j < NODES; j++)
				sum += p->mass[j] *
				       bell(next.at[i] - p->at[j], dt);
		next.mass[i] = weight * sum;
	}
	*p = next;
}

static enum tape_status
check(const double *t, size_t looks, double alpha, struct tape_err *err)
{
	double before = 0;

	if (!(alpha > 0 && alpha < 1))
		return tape_err_set(err, TAPE_E_USAGE,
		    "alpha %g is not between 0 and 1", alpha);
	if (looks > TAPE_STAT_LOOKS_MAX)
		return tape_err_set(err, TAPE_E_LIMIT, "more than %d looks",
		    TAPE_STAT_LOOKS_MAX);
	for (size_t i = 0; i < looks; i++) {
		if (!(t[i] > before && t[i] <= 1))
			return tape_err_set(err, TAPE_E_USAGE,
			    "look %zu: times must rise within (0, 1]", i + 1);
		before = t[i];
	}
	return TAPE_OK;
}

enum tape_status
tape_stat_look_bounds(enum tape_stat_spending kind, const double *t,
    size_t looks, double alpha, double *z, struct tape_err *err)
{
	struct paths p = { 0 };
	gsl_integration_glfixed_table *table;
	enum tape_status st = check(t, looks, alpha, err);

	if (st != TAPE_OK)
		return st;
	tape_stat_gsl_quiet();
	table = gsl_integration_glfixed_table_alloc(NODES);
	if (table == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < looks; i++) {
		const double before = i == 0 ? 0 : t[i - 1];
		const double share = tape_stat_spent(kind, t[i], alpha) -
				     tape_stat_spent(kind, before, alpha);
		const double b = solve(&p, t[i] - before, t[i], share);

		z[i] = b / sqrt(t[i]);
		advance(&p, t[i] - before, b, table);
	}
	gsl_integration_glfixed_table_free(table);
	return TAPE_OK;
}
