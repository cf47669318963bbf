/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trends: what still changes in a run of which the warm-up was cut.
 *
 * Of ttft, tpot and latency of the requests that count, in the order of starts,
 * and of how many were in flight when each was sent, if nothing bounds that (an
 * open loop): whether they rise or fall, whether the second half differs from
 * the first, and whether there is a step (codec/stat_change.h).  They are flags,
 * and nothing is left out for them.
 */
#ifndef TAPE_ENGINE_TRENDS_H
#define TAPE_ENGINE_TRENDS_H

#include "base/buf.h"
#include "codec/stat_change.h"
#include "record/record.h"

/* Found is what has at most this p, and is at least this large against the
   median (of steps and halves: against what was before). */
#define TAPE_TRENDS_P     0.002
#define TAPE_TRENDS_RATIO 0.05

struct tape_trend {
	bool known; /* there were values enough */
	/* Prompts (or answers) go the same way, so that nothing is found. */
	bool lengths;
	bool rises, falls, halves, steps;
	struct tape_stat_change c;
};

/* Of n values; name is that of the metric.  known is false with too few. */
enum tape_status tape_trend_find(const double *x, size_t n, const char *name,
    struct tape_trend *out, struct tape_err *err) TAPE_NODISCARD;

/* Room for a trend as JSON. */
#define TAPE_TREND_TEXT 400

/*
 * Fills the field trend of a summary, which then points to text, and adds the
 * flags of what was found to v, which has *n: rising, falling, halves-differ,
 * step.  Nothing where nothing is known.  TAPE_E_NOMEM.
 */
enum tape_status tape_trend_mark(const struct tape_trend *t,
    struct tape_summary *s, char text[TAPE_TREND_TEXT], struct tape_str *v,
    size_t *n, struct tape_err *err) TAPE_NODISCARD;

#endif
