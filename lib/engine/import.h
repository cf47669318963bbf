/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import: foreign traces, one file each, one table.
 *
 * A format reads its input row by row and puts requests; errors name input and
 * line.  What a format's rows look like stands above its function and in
 * trace-gen(1).
 */
#ifndef TAPE_ENGINE_IMPORT_H
#define TAPE_ENGINE_IMPORT_H

#include "codec/stream_in.h"
#include "engine/gen.h"
#include "engine/turns.h"

struct tape_import_opts {
	int64_t block_size; /* tokens of a block; 0 the format's own */
};

/* What goes on from file to file of one trace. */
struct tape_import_state {
	int64_t origin_ns; /* wall clock time that is time 0; absent at first */
	struct tape_turns turns;
};

struct tape_import {
	const char *name;
	const char *summary;
	enum tape_status (*run)(struct tape_in *in, struct tape_gen *g,
	    const struct tape_import_opts *opts,
	    struct tape_import_state *state, struct tape_err *err);
};

void tape_import_state_init(struct tape_import_state *s);
void tape_import_state_release(struct tape_import_state *s);

/*
 * Puts all requests of n inputs, in this order, as those of one trace; TAPE_OK
 * at the end or the limit.  Errors have input and line.  TAPE_E_FORMAT also for
 * an input without a request.
 */
enum tape_status tape_import_all(const struct tape_import *format,
    struct tape_in *const *in, size_t n, struct tape_gen *g,
    const struct tape_import_opts *opts, struct tape_err *err) TAPE_NODISCARD;

/* Ends with a NULL name. */
extern const struct tape_import tape_import_table[];

/*
 * The next row, without CR, and the first one without byte order mark; blank
 * ones are left out: TAPE_OK, TAPE_EOF, or an error.  A first row that is a web
 * page is refused as such.
 */
enum tape_status tape_import_row(struct tape_in *in, const char **row,
    size_t *len, struct tape_err *err) TAPE_NODISCARD;

/* The formats. */
enum tape_status tape_import_prompts(struct tape_in *in, struct tape_gen *g,
    const struct tape_import_opts *opts, struct tape_import_state *state,
    struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_import_mooncake(struct tape_in *in, struct tape_gen *g,
    const struct tape_import_opts *opts, struct tape_import_state *state,
    struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_import_burstgpt(struct tape_in *in, struct tape_gen *g,
    const struct tape_import_opts *opts, struct tape_import_state *state,
    struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_import_azure(struct tape_in *in, struct tape_gen *g,
    const struct tape_import_opts *opts, struct tape_import_state *state,
    struct tape_err *err) TAPE_NODISCARD;

#endif
