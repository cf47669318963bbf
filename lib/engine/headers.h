/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * headers: the header lines of requests, and the secrets among them.
 *
 * What a user gives on the command line is seen by everybody on the machine,
 * so credentials are refused there, by the name of the field; they come from a
 * file, or from a variable as a bearer token.
 */
#ifndef TAPE_ENGINE_HEADERS_H
#define TAPE_ENGINE_HEADERS_H

#include "api/api.h"
#include "engine/secrets.h"

/* A zeroed struct is empty. */
struct tape_headers {
	const char **lines; /* "Name: value" */
	size_t n;
	size_t cap;
	struct tape_secrets secrets;
};

/* Wipes what may be secret. */
void tape_headers_release(struct tape_headers *h);

/*
 * A line as given by option: TAPE_E_USAGE when it is not "Name: value", has
 * control characters, sets what is set by the client (Content-Length, Host,
 * Transfer-Encoding, Connection, Expect), or carries a credential by its name.
 * A field given again replaces the earlier one.
 */
enum tape_status tape_headers_add(struct tape_headers *h, const char *line,
    struct tape_err *err) TAPE_NODISCARD;

/* The lines of a file; empty ones and those that begin with '#' are skipped,
   credentials are taken and added to the secrets. */
enum tape_status tape_headers_add_file(struct tape_headers *h, const char *path,
    struct tape_err *err) TAPE_NODISCARD;

/* "FIELD: KEY", or without a field "Authorization: Bearer KEY", without white
   space around the key; origin is where it comes from, for messages. */
enum tape_status tape_headers_add_key(struct tape_headers *h, const char *field,
    const char *key, const char *origin, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_headers_add_key_file(struct tape_headers *h,
    const char *field, const char *path, struct tape_err *err) TAPE_NODISCARD;

/* All that a user gives; NULL where nothing was given.  key_origin names where
   key comes from, in messages; with it and no key it is a TAPE_E_USAGE. */
struct tape_headers_source {
	const char *const *lines;
	size_t lines_n;
	const char *file;
	const char *key, *key_origin;
	const char *key_file;
	bool stream;          /* answers are to be streams */
	const char *encoding; /* asked for; NULL: identity */
	/* Fields whose values are each request's own; NULL: none.  Only checked
	   here. */
	const char *session_name, *id_name;
	const struct tape_api *api; /* NULL: one like OpenAI's */
};

/* All of these, and what every request has. */
enum tape_status tape_headers_fill(struct tape_headers *h,
    const struct tape_headers_source *s, struct tape_err *err) TAPE_NODISCARD;

/* Sets a field unless it is there already. */
enum tape_status tape_headers_default(struct tape_headers *h, const char *line,
    struct tape_err *err) TAPE_NODISCARD;

#endif
