/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slo: objectives for each request, as "ttft=500ms,tpot=50ms", and whether a
 * request meets them all.
 *
 * A bound is an upper one, of a metric that is a time.  gap bounds the largest
 * gap of the request.  A request that has no value for a metric does not meet
 * its objective.
 */
#ifndef TAPE_ENGINE_SLO_H
#define TAPE_ENGINE_SLO_H

#include "engine/metrics.h"

#include "base/buf.h"

struct tape_slo {
	size_t n;
	struct tape_slo_bound {
		enum tape_metric_id metric;
		int64_t bound_ns;
	} bounds[TAPE_METRIC_COUNT];
};

/*
 * Adds the objectives of text to s.  TAPE_E_USAGE names what is not of the
 * form, given twice, or no metric that can be bounded, with a list of those.
 */
enum tape_status tape_slo_parse(
    const char *text, struct tape_slo *s, struct tape_err *err) TAPE_NODISCARD;

/* Those of all texts that --slo was given. */
enum tape_status tape_slo_parse_all(const char *const *texts, size_t n,
    struct tape_slo *s, struct tape_err *err) TAPE_NODISCARD;

/* The bound of that metric; 0 when it has none. */
int64_t tape_slo_bound(const struct tape_slo *s, enum tape_metric_id metric);

/* r is a successful request's result or a failed one's. */
bool tape_slo_met(const struct tape_slo *s, const struct tape_result *r);

/* Appends "ttft <= 500 ms, tpot <= 50 ms". */
void tape_slo_print(const struct tape_slo *s, struct tape_buf *out);

#endif
