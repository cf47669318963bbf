/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_adjust.h"

#include "base/mem.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct entry {
	double p;
	size_t at;
};

static int
ascending(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* What the i-th smallest of m, from 1, is multiplied by. */
static double
factor(enum tape_stat_adjust method, size_t i, size_t m, double harmonic)
{
	switch (method) {
	case TAPE_STAT_HOLM:
	case TAPE_STAT_HOCHBERG:
		return (double)(m - i + 1);
	case TAPE_STAT_BH:
		return (double)m / (double)i;
	case TAPE_STAT_BY:
		return harmonic * (double)m / (double)i;
	case TAPE_STAT_BONFERRONI:
	default:
		return (double)m;
	}
}

static void
adjust(enum tape_stat_adjust method, struct entry *e, size_t m)
{
	const bool down =
	    method == TAPE_STAT_HOLM || method == TAPE_STAT_BONFERRONI;
	double harmonic = 0, run = down ? 0 : 1;

	for (size_t i = 1; i <= m; i++)
		harmonic += 1 / (double)i;
	for (size_t step = 1; step <= m; step++) {
		const size_t i = down ? step : m - step + 1;
		const double p =
		    fmin(1, factor(method, i, m, harmonic) * e[i - 1].p);

		run = down ? fmax(run, p) : fmin(run, p);
		e[i - 1].p = run;
	}
}

enum tape_status
tape_stat_adjust(enum tape_stat_adjust method, const double *p, size_t m,
    double *out, struct tape_err *err)
{
	struct entry *e;
	size_t n = 0;

	for (size_t i = 0; i < m; i++)
		if (!isnan(p[i]) && !(p[i] >= 0 && p[i] <= 1))
			return tape_err_set(
			    err, TAPE_E_DATA, "%g is not a probability", p[i]);
	e = tape_mem_realloc(NULL, m, sizeof(*e));
	if (e == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < m; i++)
		if (!isnan(p[i]))
			e[n++] = (struct entry){ p[i], i };
	qsort(e, n, sizeof(*e), ascending);
	adjust(method, e, n);
	for (size_t i = 0; i < m; i++)
		out[i] = p[i];
	for (size_t i = 0; i < n; i++)
		out[e[i].at] = e[i].p;
	tape_mem_free(e);
	return TAPE_OK;
}
