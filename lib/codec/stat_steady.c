/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_steady.h"

#include "base/mem.h"
#include "codec/stat_desc.h"
#include "codec/stat_sort.h"
#include "codec/stat_ttest.h"

#include <math.h>

enum tape_status
tape_stat_mser5(
    const double *x, size_t n, struct tape_stat_mser *out, struct tape_err *err)
{
	const size_t m = n / TAPE_STAT_MSER_BATCH;
	double mean = 0, squares = 0, best = HUGE_VAL;
	size_t at = 0;
	enum tape_status st = tape_stat_check(x, n, err);

	if (st != TAPE_OK)
		return st;
	if (n < TAPE_STAT_MSER_MIN)
		return tape_err_set(err, TAPE_E_DATA,
		    "%zu values: at least %d are needed", n,
		    TAPE_STAT_MSER_MIN);
	/* From the end, so that each suffix updates the one behind it. */
	for (size_t d = m; d-- > 0;) {
		const double y = tape_stat_mean(
		    x + d * TAPE_STAT_MSER_BATCH, TAPE_STAT_MSER_BATCH);
		const double size = (double)(m - d), off = y - mean;
		double g;

		mean += off / size;
		squares += off * (y - mean);
		g = squares / (size * size);
		if (d > m / 2 || g > best)
			continue;
		best = g;
		at = d;
	}
	out->batches = m;
	out->cut = at * TAPE_STAT_MSER_BATCH;
	out->value = best;
	out->steady = at < m / 2;
	return TAPE_OK;
}

enum tape_status
tape_stat_batch_means(const double *x, size_t n, size_t batches, double level,
    struct tape_stat_batch *out, struct tape_err *err)
{
	struct tape_stat_ttest t = { 0 };
	enum tape_status st = tape_stat_check(x, n, err);
	double *mean;

	if (st != TAPE_OK)
		return st;
	if (batches < 2 || batches > n)
		return tape_err_set(
		    err, TAPE_E_USAGE, "%zu batches of %zu values", batches, n);
	mean = tape_mem_calloc(batches, sizeof(*mean));
	if (mean == NULL)
		return tape_err_nomem(err);
	for (size_t b = 0; b < batches; b++)
		mean[b] = tape_stat_mean(x + b * (n / batches), n / batches);
	st = tape_stat_paired_t(mean, batches, 0, level, &t, err);
	tape_mem_free(mean);
	if (st != TAPE_OK)
		return st;
	out->length = n / batches;
	out->mean = t.estimate;
	out->se = t.se;
	out->ci = t.ci;
	return TAPE_OK;
}
