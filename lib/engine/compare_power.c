/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_power.h"

#include "codec/stat_power.h"

static int64_t
pairs_or_absent(double effect_sd, double alpha)
{
	uint64_t n =
	    tape_stat_pairs_needed(effect_sd, alpha, TAPE_COMPARE_POWER);

	return n == 0 || n > TAPE_STAT_PAIRS_MAX ? TAPE_ABSENT_I64 : (int64_t)n;
}

static void
fill(const struct tape_compare_row *row, const struct tape_compare_opts *opts,
    struct tape_compare_figures *f)
{
	double k = (double)row->k;
	double effect = tape_compare_margin_d(row, isnan(opts->margin_ratio)
						       ? TAPE_COMPARE_NEED_RATIO
						       : opts->margin_ratio);

	f->mde_ratio = tape_compare_scale(row,
	    f->sd * tape_stat_detectable(k, opts->alpha, TAPE_COMPARE_POWER));
	f->pairs_needed = pairs_or_absent(effect / f->sd, opts->alpha);
	f->pairs_needed_upper = pairs_or_absent(
	    effect / tape_stat_sd_upper(f->sd, k, TAPE_COMPARE_POWER),
	    opts->alpha);
}

void
tape_compare_power(const struct tape_compare_row rows[TAPE_COMPARE_ROWS],
    const struct tape_compare_opts *opts, struct tape_compare_verdict *v)
{
	if (opts->seq.plan != TAPE_COMPARE_FIXED)
		return;
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		if (v->rows[i].f.sd > 0)
			fill(&rows[i], opts, &v->rows[i].f);
}
