/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * recent: the ids of the last TAPE_RECENT requests of a trace, for what has to
 * be known of them while the next ones are read: is an id there already, which
 * request is it, and of which session.  What is further back is forgotten.
 *
 * Ids and sessions are 64-bit digests (idmap.h).  Memory is 16 bytes a request,
 * 24 with sessions, up to that number, and then stays.  A zeroed struct is
 * empty.
 */
#ifndef TAPE_ENGINE_RECENT_H
#define TAPE_ENGINE_RECENT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define TAPE_RECENT ((uint64_t)1 << 20)

struct tape_recent {
	uint64_t n;         /* requests so far, those forgotten too */
	size_t room;        /* of the rings: a power of two */
	uint64_t *keys;     /* a ring */
	uint64_t *sessions; /* likewise; NULL: none has one */
	uint32_t *table; /* 2 * room slots: place in the rings + 1, 0 empty */
};

void tape_recent_release(struct tape_recent *r);

/* False when there is none; else its place among all requests, from 0, and its
   session, 0 none.  seq and session may be NULL. */
bool tape_recent_get(const struct tape_recent *r, uint64_t key, uint64_t *seq,
    uint64_t *session);

/* The next request; its key is not there. */
enum tape_status tape_recent_add(struct tape_recent *r, uint64_t key,
    uint64_t session, struct tape_err *err) TAPE_NODISCARD;

#endif
