/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve_script: answers that the model server gives by a script instead of by
 * its model, byte for byte.
 *
 * A script is a file of JSON objects, one a line; empty lines and those that
 * begin with '#' are passed over.  Each is a rule: which requests it is for,
 * and what they get.  trace-serve(1), SCRIPT, is the description of the format.
 */
#ifndef TAPE_ENGINE_SERVE_SCRIPT_H
#define TAPE_ENGINE_SERVE_SCRIPT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define TAPE_SCRIPT_CAP_BYTES   ((size_t)64 << 20) /* of a script */
#define TAPE_SCRIPT_PIECE_BYTES ((size_t)16 << 20) /* of a step */
#define TAPE_SCRIPT_WRITE_BYTES ((size_t)64 << 10) /* of what is repeated */

enum tape_script_verb {
	TAPE_SCRIPT_SEND,
	TAPE_SCRIPT_WAIT,
	TAPE_SCRIPT_CLOSE, /* in order, without an end of the answer */
	TAPE_SCRIPT_RESET, /* RST */
	TAPE_SCRIPT_STALL  /* wait, then close */
};

struct tape_script_step {
	enum tape_script_verb verb;
	char *data;     /* SEND: sent round and round */
	size_t len;     /* of data */
	uint64_t bytes; /* to send; UINT64_MAX: without end */
	size_t each;    /* of a write; 0: all of data */
	size_t *reads;  /* or the sizes of the writes; NULL: as by each */
	size_t n_reads;
	int64_t ns; /* WAIT, STALL; SEND: from a write to the next */
};

enum tape_script_framing {
	TAPE_SCRIPT_CHUNKED, /* a write is a chunk */
	TAPE_SCRIPT_LENGTH,
	TAPE_SCRIPT_UNTIL_CLOSE,
	TAPE_SCRIPT_RAW /* the steps are all that is sent, the head included */
};

struct tape_script_rule {
	char *path;     /* NULL: of any POST */
	uint64_t nth;   /* only that one of them; 0: any */
	uint64_t every; /* only each so many-th; 0: any */
	uint64_t seen;  /* that path and method were for */
	int status;
	char *headers; /* lines "name: value\r\n" */
	enum tape_script_framing framing;
	uint64_t length; /* LENGTH: announced */
	bool length_given;
	struct tape_script_step *steps;
	size_t n_steps, steps_size;
};

struct tape_script {
	struct tape_script_rule *rules;
	size_t n_rules, rules_size;
};

/* Reads a script; files that it names are looked for beside it.  Release it in
   any case.  TAPE_E_FORMAT names the line and what is wrong there. */
enum tape_status tape_script_load(struct tape_script *s, const char *path,
    struct tape_err *err) TAPE_NODISCARD;
void tape_script_release(struct tape_script *s);

/* The rule for a request, or NULL; counts the request. */
const struct tape_script_rule *tape_script_match(
    struct tape_script *s, const char *method, const char *path);

#endif
