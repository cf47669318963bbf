/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve_args: how events of the model server lie on the wire, and how slow it is
 * at first: the text of the options that say so.
 */
#ifndef TAPE_ENGINE_SERVE_ARGS_H
#define TAPE_ENGINE_SERVE_ARGS_H

#include "base/err.h"

#define TAPE_SERVE_EVENT_TOKENS_MAX 1000
#define TAPE_SERVE_MERGE_MAX        1000
#define TAPE_SERVE_SPLIT_MAX        16
#define TAPE_SERVE_TIMES_MAX        1000.0

struct tape_serve_range {
	uint32_t min; /* at least 1 */
	uint32_t max;
};

/* An event goes out in so many writes, and this is the time from one to the
   next. */
struct tape_serve_split {
	uint32_t writes; /* 1: it is not split */
	int64_t gap_ns;
};

/* A server that is slow at first: so many requests take so many times as long. */
struct tape_serve_cold {
	uint64_t requests; /* 0: none */
	double times;
};

/* "20" or "20,3.5": five times as long if it is not said. */
enum tape_status tape_serve_parse_cold(const char *text,
    struct tape_serve_cold *c, struct tape_err *err) TAPE_NODISCARD;

/* "4" or "2-6", from 1 to TAPE_SERVE_EVENT_TOKENS_MAX. */
enum tape_status tape_serve_parse_range(const char *text,
    struct tape_serve_range *r, struct tape_err *err) TAPE_NODISCARD;

/* "2" or "3,500us"; 1 ms if no time is given. */
enum tape_status tape_serve_parse_split(const char *text,
    struct tape_serve_split *s, struct tape_err *err) TAPE_NODISCARD;

#endif
