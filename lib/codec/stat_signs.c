/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_signs.h"

enum tape_status
tape_stat_signs_opt(const struct tape_stat_flip_opt *opt, size_t k,
    struct tape_stat_flip_opt *out, struct tape_err *err)
{
	struct tape_stat_flip_opt o = { TAPE_STAT_SEED, 0, 0 };

	if (opt != NULL)
		o = *opt;
	if (o.replicates == 0)
		o.replicates = TAPE_STAT_REPLICATES;
	if (k > TAPE_STAT_SIGNS_MAX)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "%zu pairs: at most %d can be flipped", k,
		    TAPE_STAT_SIGNS_MAX);
	if (o.replicates > TAPE_STAT_REPLICATES_MAX)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "more than %d replicates", TAPE_STAT_REPLICATES_MAX);
	*out = o;
	return TAPE_OK;
}

void
tape_stat_signs_draw(const struct tape_stat_flip_opt *opt,
    enum tape_rng_purpose purpose, uint32_t b, size_t k,
    uint32_t words[TAPE_STAT_SIGNS_WORDS])
{
	const size_t n = (k + 31) / 32;
	struct tape_rng r;

	tape_rng_init(&r, opt->seed, purpose, opt->row, b);
	for (size_t w = 0; w < n; w++)
		words[w] = tape_rng_u32(&r);
}
