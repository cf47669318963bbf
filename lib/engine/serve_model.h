/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve_model: the numbers of the model of a server: what a request's key is,
 * how long it takes to its first token, how many tokens follow and when.  No
 * I/O, no clock.
 */
#ifndef TAPE_ENGINE_SERVE_MODEL_H
#define TAPE_ENGINE_SERVE_MODEL_H

#include "engine/serve.h"
#include "engine/serve_ask.h"
#include "engine/serve_lru.h"
#include "engine/serve_words.h"

struct tape_serve_model {
	const struct tape_serve_conf *conf;
	struct tape_serve_lru *prefix; /* digests of blocks, or NULL */
	struct tape_serve_lru *seen;   /* digests of requests, or NULL */
	struct tape_rng steps;
};

struct tape_serve_plan {
	uint64_t key;
	uint64_t prompt_tokens;
	uint64_t cached_tokens;
	uint64_t output_tokens;        /* at least 1 */
	const char *finish;            /* "stop" or "length" */
	int64_t ttft_ns;               /* from its slot on; final after start */
	struct tape_serve_voice voice; /* says the answer */
	struct tape_rng cuts;          /* of events that are split */
	/* private */
	double times; /* that it takes as long as a request does */
	struct tape_rng gaps;
	struct tape_rng sizes;
};

enum tape_status tape_serve_model_open(struct tape_serve_model *m,
    const struct tape_serve_conf *conf, struct tape_err *err) TAPE_NODISCARD;
void tape_serve_model_release(struct tape_serve_model *m);

/* number: of the request, from 1.  TAPE_E_LIMIT when more tokens are asked for
   than the server gives. */
enum tape_status tape_serve_model_plan(struct tape_serve_model *m,
    const struct tape_serve_ask *ask, uint64_t number,
    struct tape_serve_plan *plan, struct tape_err *err) TAPE_NODISCARD;

/* The request gets its slot: looks up its prefix, remembers it, and adds what
   prefill takes to ttft_ns. */
void tape_serve_model_start(struct tape_serve_model *m,
    const struct tape_serve_ask *ask, struct tape_serve_plan *plan);

/* Nanoseconds from a token event to the next one; draws in turn. */
int64_t tape_serve_model_gap_ns(
    const struct tape_serve_model *m, struct tape_serve_plan *plan);

/* The same from a step of the batch to the next one. */
int64_t tape_serve_model_step_ns(struct tape_serve_model *m);

/* Tokens of the next event, when so many are left; draws in turn. */
uint64_t tape_serve_model_size(const struct tape_serve_model *m,
    struct tape_serve_plan *plan, uint64_t left);

/* How many of the next events go out in one write, when so many tokens are
   left; draws nothing. */
uint64_t tape_serve_model_merge(const struct tape_serve_model *m,
    const struct tape_serve_plan *plan, uint64_t left);

#endif
