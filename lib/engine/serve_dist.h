/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve_dist: a quantity of the model server, by mean and standard deviation.
 *
 * Draws are gamma distributed, so never negative, and have exactly that mean
 * and deviation: shape (mean / sd)^2, scale sd^2 / mean.  Deviation 0 is the
 * constant.  The unit is its user's.
 */
#ifndef TAPE_ENGINE_SERVE_DIST_H
#define TAPE_ENGINE_SERVE_DIST_H

#include "base/err.h"
#include "codec/stat_rng.h"

struct tape_serve_dist {
	double mean;
	double sd;
};

/* "40ms" or "40ms,4ms": nanoseconds. */
enum tape_status tape_serve_dist_parse_ns(const char *text,
    struct tape_serve_dist *d, struct tape_err *err) TAPE_NODISCARD;

/* "200" or "200,50": tokens; the mean is at least 1. */
enum tape_status tape_serve_dist_parse_tokens(const char *text,
    struct tape_serve_dist *d, struct tape_err *err) TAPE_NODISCARD;

double tape_serve_dist_draw(
    const struct tape_serve_dist *d, struct tape_rng *rng);

#endif
