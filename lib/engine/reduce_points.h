/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce_points: the points of a sweep: what each group of --by comes to, over
 * all runs that it occurs in.
 *
 * A point is an arm and a group.  Its requests are those of all its runs; its
 * other values are the means of its runs' values, for runs are what vary from
 * one to the next.  Where these are two or more of the same conditions, as
 * engine/between has them, and all have the value, its mean has an interval.
 *
 * The load is the label concurrency, else rate_per_s.  Of points that differ in
 * it only, in its order, the first is saturated at which throughput grows by
 * less than TAPE_POINTS_GROWTH a doubling of the load, while the median latency
 * grows by more: the server has no more to give, and requests wait.
 */
#ifndef TAPE_ENGINE_REDUCE_POINTS_H
#define TAPE_ENGINE_REDUCE_POINTS_H

#include "engine/grouping.h"
#include "engine/idmap.h"
#include "engine/summarize.h"

#define TAPE_POINTS_GROWTH 0.1
#define TAPE_POINTS_OFF    0.02 /* of the tokens asked for: marked beyond */
#define TAPE_POINTS_SERIES 4096 /* points; of more no saturation is sought */

/* Values of a point, NaN unknown. */
enum tape_point_value {
	TAPE_POINT_ASKED_IN, /* of the label isl, else of the trace */
	TAPE_POINT_IN,       /* mean, as the server counts */
	TAPE_POINT_ASKED_OUT,
	TAPE_POINT_OUT,
	TAPE_POINT_TTFT_P50,
	TAPE_POINT_TTFT_P90,
	TAPE_POINT_ITL_P50,
	TAPE_POINT_ITL_P90,
	TAPE_POINT_LATENCY_P50,
	TAPE_POINT_LATENCY_P90,
	TAPE_POINT_USER, /* tokens/s of one user, median */
	TAPE_POINT_TOKENS_PER_S,
	TAPE_POINT_REQUESTS_PER_S,
	TAPE_POINT_VALUES
};

struct tape_point {
	struct tape_str arm;                        /* absent: none */
	struct tape_str group;                      /* JSON object */
	struct tape_str label[TAPE_GROUPING_NAMES]; /* as text; absent: none */
	double number[TAPE_GROUPING_NAMES];         /* NaN: it is none */
	uint64_t runs;
	uint64_t ok;
	uint64_t failed;
	double v[TAPE_POINT_VALUES];
	uint64_t v_runs[TAPE_POINT_VALUES]; /* in how many runs each is known */
	double half[TAPE_POINT_VALUES];     /* of the interval; NaN: none */
	uint64_t conditions;                /* digest; 0 unknown, or several */
	bool saturated;
};

struct tape_points {
	struct tape_grouping by;
	struct tape_point *v;
	size_t n, cap;
	struct tape_idmap map; /* digest of arm and group to the place */
	struct tape_arena arena;
	bool arms;           /* there are several */
	uint64_t conditions; /* digest of the run's in hand; 0 unknown */
};

/* names as in --by, NULL: no points are kept.  TAPE_E_USAGE as grouping. */
enum tape_status tape_points_init(struct tape_points *p, const char *names,
    struct tape_err *err) TAPE_NODISCARD;
void tape_points_release(struct tape_points *p);

/* The run whose groups follow; start NULL: nothing is known of it.
   TAPE_E_NOMEM, TAPE_E_LIMIT. */
enum tape_status tape_points_run(struct tape_points *p,
    const struct tape_run *start, struct tape_err *err) TAPE_NODISCARD;

/* One group of one run.  TAPE_E_NOMEM. */
enum tape_status tape_points_add(struct tape_points *p, struct tape_str group,
    const struct tape_summarize_set *set, struct tape_err *err) TAPE_NODISCARD;

/* Into the order of arms and labels, with means, and what is saturated.  Once,
   when all are in. */
void tape_points_finish(struct tape_points *p);

/* Half the interval between runs over the mean; NaN: there is none. */
double tape_point_half_ratio(
    const struct tape_point *p, enum tape_point_value which);

/* Whether tokens are off from what was asked for; in: of the prompt. */
bool tape_point_is_off(const struct tape_point *p, bool in);

#endif
