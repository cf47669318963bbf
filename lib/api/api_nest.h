/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_nest: a request body whose parameters stand in an object within it
 * ("parameters", "options", "sampling_params").
 *
 * A trace and the command line name parameters without knowing of that object,
 * so those that belong into it are put there; the object itself may be given as
 * well, and its members then count like the others of the one who gave it.
 */
#ifndef TAPE_API_API_NEST_H
#define TAPE_API_API_NEST_H

#include "api/api_body.h"

struct tape_api_nest {
	const char *key; /* of the object */
	/* The fields inside it, when inside is true, else those that are not;
	   NULL-terminated. */
	const char *const *names;
	bool inside;
};

/* A member that the dialect itself puts there. */
struct tape_api_inner {
	const char *key;
	struct tape_str json;
};

#define TAPE_API_NUMBER 24 /* room for an integer */

/* The length that is asked for, as such a member with its text in room; false
   when there is none. */
bool tape_api_nest_length(const struct tape_api_body *b, const char *field,
    char room[TAPE_API_NUMBER], struct tape_api_inner *out);

/* Whether a field goes into the object, or is it; false without a nest. */
bool tape_api_nest_takes(const struct tape_api_nest *nest, struct tape_str key);

/*
 * Appends the object: the dialect's own members, then those of params, then
 * those of extra, each key once, and the later wins; nothing when there is
 * none.  Sets b->nest.  TAPE_E_USAGE when params or extra has something else
 * than an object under the key.
 */
enum tape_status tape_api_body_nest(struct tape_api_body *b,
    const struct tape_api_nest *nest, const struct tape_api_inner *own,
    size_t own_n, struct tape_err *err) TAPE_NODISCARD;

#endif
