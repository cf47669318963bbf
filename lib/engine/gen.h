/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gen: requests from a source, on their way into a trace: numbered, retimed,
 * labelled, counted, and refused where they exceed a limit or would make a trace
 * that nobody can play.
 *
 * A source (gen_synthetic.h, import.h) fills what it knows of a request and
 * puts it; what it leaves absent is set here.  Nothing grows with the trace.
 */
#ifndef TAPE_ENGINE_GEN_H
#define TAPE_ENGINE_GEN_H

#include "codec/stat_rng.h"
#include "record/writer.h"

enum tape_arrivals {
	TAPE_ARRIVALS_TRACE, /* the source's own times, if it has any */
	TAPE_ARRIVALS_NONE,  /* none: a closed loop */
	TAPE_ARRIVALS_CONSTANT,
	TAPE_ARRIVALS_POISSON,
	TAPE_ARRIVALS_GAMMA
};

struct tape_gen_opts {
	enum tape_arrivals arrivals;
	double rate_per_s;      /* constant, poisson, gamma */
	double burstiness;      /* gamma: shape; 1 is poisson, below burstier */
	double speedup;         /* divides the source's times and delays */
	bool need_times;        /* those of the source must be there */
	uint64_t limit;         /* requests; 0 all */
	uint64_t seed;          /* 0 to 2^53 - 1 */
	struct tape_str labels; /* JSON object put into every request */
	int64_t max_input_tokens; /* of a request; 0 no limit */
	int64_t max_total_tokens; /* input and output; 0 no limit */
};

/* What went into the trace. */
struct tape_gen_sums {
	uint64_t requests;
	int64_t input_tokens;
	int64_t output_tokens;
	int64_t largest_input;
	int64_t largest_total;
	int64_t first_t_ns; /* absent when the requests have no times */
	int64_t last_t_ns;
	uint64_t unsized; /* requests whose input tokens are not known */
	uint64_t unasked; /* that leave the output tokens to the server */
	uint64_t raised;  /* that asked for no output token, and now for one */
	uint64_t skipped; /* rows without tokens, of failed requests */
};

struct tape_gen {
	struct tape_gen_opts opts;
	struct tape_writer *out;
	struct tape_rng arrivals;
	double t_s; /* planned by a law so far */
	bool vocab_written;
	uint64_t block_seed;
	uint64_t first_turns; /* requests that wait for no other */
	struct tape_gen_sums sums;
	struct tape_buf labels;
};

/* out has a segment open and stays the caller's. */
void tape_gen_init(struct tape_gen *g, const struct tape_gen_opts *opts,
    struct tape_writer *out);
void tape_gen_release(struct tape_gen *g);

/*
 * File number k of the source begins, from 0: its block ids mean other blocks
 * than those of the files before.
 */
void tape_gen_file(struct tape_gen *g, uint32_t k);

/*
 * Puts a request.  The id, where absent, becomes the number of the request,
 * from 1.  An output of 0 tokens, which no server can be asked for, becomes 1.
 * TAPE_EOF when the limit is reached: the request was not taken, and none will
 * be.  TAPE_E_LIMIT when it exceeds max_*_tokens, or its input is unknown where
 * there is such a limit.  TAPE_E_FORMAT when its time goes back, or is missing
 * where others have one or need_times is set.  The source adds the place.
 */
enum tape_status tape_gen_put(struct tape_gen *g, struct tape_request *r,
    struct tape_err *err) TAPE_NODISCARD;

/* The limit is reached. */
bool tape_gen_full(const struct tape_gen *g);

/* One line about what went in, for people. */
void tape_gen_print_sums(const struct tape_gen_sums *s, struct tape_buf *out);

/* A prompt of blocks over the built-in vocabulary, which is written before the
   first request that needs it.  ids must live until the request was put.
   Blocks of one id have one text within a file. */
enum tape_status tape_gen_blocks(struct tape_gen *g, struct tape_request *r,
    int64_t size, struct tape_i64s ids, int64_t tokens,
    struct tape_err *err) TAPE_NODISCARD;

/* The built-in vocabulary (traces/vocab): borrowed, static. */
void tape_gen_vocab(struct tape_vocab *v);

#endif
