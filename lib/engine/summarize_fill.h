/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * summarize_fill: values into a summary: n, mean, sd, the ends and quantiles of
 * type 7, where there are enough for each.
 */
#ifndef TAPE_ENGINE_SUMMARIZE_FILL_H
#define TAPE_ENGINE_SUMMARIZE_FILL_H

#include "engine/pool.h"
#include "engine/summarize.h"

#define TAPE_SUMMARIZE_P99_MIN 100 /* values below which there is no p99 */

/* Sorted values, and how many infinite ones stand behind them; outliers, too. */
enum tape_status tape_summarize_values(struct tape_summary *s, const double *v,
    size_t n, size_t infinite, struct tape_err *err) TAPE_NODISCARD;

/* How many values a quantile rests on, with those that are infinite. */
double tape_summarize_count(const struct tape_summary *s);

/* So few pooled values, all of them, that they can be looked at together. */
enum tape_status tape_summarize_few(struct tape_summary *s,
    struct tape_pool *const *pools, size_t n, size_t all,
    struct tape_err *err) TAPE_NODISCARD;

/* More than TAPE_POOL_LOOSE, which are read once, one by one: outliers are not
   counted. */
enum tape_status tape_summarize_many(struct tape_summary *s,
    struct tape_pool *const *pools, size_t n, size_t all,
    struct tape_err *err) TAPE_NODISCARD;

#endif
