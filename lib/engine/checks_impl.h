/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checks_impl: what the files of checks have in common: a set in the making,
 * and the checks themselves, one function each, grouped by theme:
 *
 *	checks_work.c	was it the work that was intended
 *	checks_answer.c	are the answers what was asked for
 *	checks_server.c	did the server behave as one that is measured
 *	checks_stream.c	what the streams say of server and way
 *	checks_sweep.c	against the other runs of the input
 *	checks_alike.c	likewise, of model, fields and versions
 *	checks_time.c	does anything change in the course of the run
 *	checks_load.c	was the load the one that was asked for
 *	checks_device.c	what telemetry says of devices
 *	checks_engine.c	what the engine's profile says
 *
 * The table in checks_make.c has them in the order of the output.
 */
#ifndef TAPE_ENGINE_CHECKS_IMPL_H
#define TAPE_ENGINE_CHECKS_IMPL_H

#include "base/clock.h"
#include "codec/json.h"
#include "engine/checks.h"

#include <inttypes.h>

struct tape_checks_maker {
	const struct tape_checks *c;
	const struct tape_checks_run *run;
	struct tape_checks_set *out;
	struct tape_buf text; /* of the check in hand */
	/* The measured requests by their start; NULL when not all are kept. */
	const struct tape_checks_point *points;
	size_t points_n;
};

/* Begins a check, ok until it is told otherwise, with an empty text. */
struct tape_check *tape_checks_begin(
    struct tape_checks_maker *m, const char *name);

/* Where bad, the status and what to do about it; fail wins over warn. */
void tape_checks_warn(struct tape_check *k, bool bad, const char *advice);
void tape_checks_bad(struct tape_check *k, bool bad, const char *advice);

/* Moves the text in hand into the check. */
enum tape_status tape_checks_end(struct tape_checks_maker *m,
    struct tape_check *k, struct tape_err *err) TAPE_NODISCARD;

void tape_checks_add_names(
    struct tape_buf *text, const struct tape_checks_names *names);

/* An arm's name, cut. */
void tape_checks_copy_arm(char dst[TAPE_CHECKS_NAME], struct tape_str arm);

/* Whether a field of requests decides how tokens are drawn. */
bool tape_checks_is_sampling(const struct tape_json_token *tok);

void tape_checks_firsts_release(struct tape_checks_first *v, size_t n);

/* Median and other quantiles of values in any order; NaN of none. */
enum tape_status tape_checks_quantile(const double *v, size_t n, double q,
    double *out, struct tape_err *err) TAPE_NODISCARD;

/* Each makes its check, or none when its question does not arise. */
#define TAPE_CHECKS_FN(name)                                                   \
 enum tape_status name(struct tape_checks_maker *m, struct tape_err *err)      \
     TAPE_NODISCARD

TAPE_CHECKS_FN(tape_checks_requests);
TAPE_CHECKS_FN(tape_checks_run_end);
TAPE_CHECKS_FN(tape_checks_errors);
TAPE_CHECKS_FN(tape_checks_attempts);
TAPE_CHECKS_FN(tape_checks_cancelled);
TAPE_CHECKS_FN(tape_checks_enough);
TAPE_CHECKS_FN(tape_checks_kept);
TAPE_CHECKS_FN(tape_checks_usage);
TAPE_CHECKS_FN(tape_checks_length);
TAPE_CHECKS_FN(tape_checks_finish);
TAPE_CHECKS_FN(tape_checks_end_mark);
TAPE_CHECKS_FN(tape_checks_malformed);
TAPE_CHECKS_FN(tape_checks_prompt);
TAPE_CHECKS_FN(tape_checks_cached);
TAPE_CHECKS_FN(tape_checks_one_token);
TAPE_CHECKS_FN(tape_checks_encoding);
TAPE_CHECKS_FN(tape_checks_not_streamed);
TAPE_CHECKS_FN(tape_checks_model);
TAPE_CHECKS_FN(tape_checks_server);
TAPE_CHECKS_FN(tape_checks_buffered);
TAPE_CHECKS_FN(tape_checks_serialized);
TAPE_CHECKS_FN(tape_checks_flat);
TAPE_CHECKS_FN(tape_checks_sampling);
TAPE_CHECKS_FN(tape_checks_alike);
TAPE_CHECKS_FN(tape_checks_warmup);
TAPE_CHECKS_FN(tape_checks_trend);
TAPE_CHECKS_FN(tape_checks_clocks);
TAPE_CHECKS_FN(tape_checks_concurrency);
TAPE_CHECKS_FN(tape_checks_law);
TAPE_CHECKS_FN(tape_checks_client);
TAPE_CHECKS_FN(tape_checks_telemetry);
TAPE_CHECKS_FN(tape_checks_throttled);
TAPE_CHECKS_FN(tape_checks_engine_tokens);
TAPE_CHECKS_FN(tape_checks_engine_decode);

#endif
