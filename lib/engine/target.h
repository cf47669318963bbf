/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * target: the URL of a deployment, and the URLs of its endpoints.
 *
 * What a user gives is taken as it is meant: with or without scheme (then
 * http), with or without a final /v1, or the whole URL of the endpoint:
 *
 *	host:8000			-> http://host:8000/v1/chat/completions
 *	https://host/a			-> https://host/a/v1/chat/completions
 *	http://host/v1			-> http://host/v1/chat/completions
 *	http://host/x/chat/completions	-> itself
 *
 * A query stays behind the path.  What is shown or recorded has neither user
 * nor password nor query.
 */
#ifndef TAPE_ENGINE_TARGET_H
#define TAPE_ENGINE_TARGET_H

#include "api/api.h"

struct tape_target {
	char *arm;      /* NULL: without a name */
	char *base;     /* scheme, authority, path without /v1 */
	char *exact;    /* the dialect's endpoint itself, or NULL */
	char *query;    /* with its question mark, or "" */
	char *shown;    /* base, redacted */
	char *password; /* or NULL */
	/* More servers of the same deployment, which have none in turn. */
	struct tape_target *more;
	size_t more_n;
};

/*
 * path is the dialect's endpoint, as "/v1/chat/completions", where {model} is
 * any name.  TAPE_E_USAGE: another scheme, no host, a fragment, blanks or
 * control characters.  The message never has the URL.  *t is released on
 * failure.
 */
enum tape_status tape_target_open(struct tape_target *t, const char *arm,
    const char *url, const char *path, struct tape_err *err) TAPE_NODISCARD;

#define TAPE_TARGET_MAX 64 /* arms; and servers of one */

/* The deployments of a run. */
struct tape_target_set {
	struct tape_target at[TAPE_TARGET_MAX];
	size_t n;
};

/*
 * Those of args into s, which is empty: URLs, which are all one deployment, or
 * with named NAME=URL each, where one name is one deployment.  What was opened
 * is left in s after a failure.
 */
enum tape_status tape_target_open_all(struct tape_target_set *s,
    const char *const *args, size_t n, bool named, const char *path,
    struct tape_err *err) TAPE_NODISCARD;

void tape_target_release_all(struct tape_target_set *s);

/* Servers of a deployment, the first of which is t itself. */
size_t tape_target_count(const struct tape_target *t);
const struct tape_target *tape_target_at(const struct tape_target *t, size_t i);

void tape_target_release(struct tape_target *t);

/*
 * The URL for a path below the base, or with own the dialect's endpoint; a slash
 * before it is added when it has none, and the user's query goes behind its own.
 * NULL: no memory; the caller's, for tape_mem_free.
 */
char *tape_target_url(
    const struct tape_target *t, struct tape_str path, bool own);

/* That of a request; *url is the caller's, for tape_mem_free. */
enum tape_status tape_target_url_of(const struct tape_target *t,
    const struct tape_api *api, const struct tape_api_ask *ask, char **url,
    struct tape_err *err) TAPE_NODISCARD;

#endif
