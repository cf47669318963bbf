/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * worst: the N results that are worst by one metric, kept as encoded records.
 */
#ifndef TAPE_ENGINE_WORST_H
#define TAPE_ENGINE_WORST_H

#include "engine/metrics.h"

#include "base/buf.h"

#define TAPE_WORST_MAX 1000

struct tape_worst {
	enum tape_metric_id metric; /* of kind REQUEST, or GAP: the largest */
	size_t want;
	size_t n;
	struct tape_worst_row {
		double value;
		int64_t start_ns;
		uint64_t key;         /* tape_tally_key */
		struct tape_buf line; /* a result record */
	} * rows; /* the worst first; of equals that which was sent first */
};

/* want 0 keeps none.  TAPE_E_NOMEM; release in every case. */
enum tape_status tape_worst_init(struct tape_worst *w, size_t want,
    enum tape_metric_id metric, struct tape_err *err) TAPE_NODISCARD;
void tape_worst_release(struct tape_worst *w);

/* A successful request's result: kept when it is among the worst so far. */
enum tape_status tape_worst_offer(struct tape_worst *w,
    const struct tape_result *r, struct tape_err *err) TAPE_NODISCARD;

#endif
