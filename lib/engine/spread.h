/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spread: requests over the servers of one deployment: in turn, but a session
 * stays with the server that its first request went to.
 *
 * Memory is bounded: the servers of the last TAPE_SPREAD_KNOWN sessions are
 * known at least, and of no more than twice as many; one that was not heard of
 * for longer counts as new.
 */
#ifndef TAPE_ENGINE_SPREAD_H
#define TAPE_ENGINE_SPREAD_H

#include "base/span.h"
#include "engine/idmap.h"

#define TAPE_SPREAD_KNOWN ((size_t)1 << 19)

/* A zeroed struct is one of no servers. */
struct tape_spread {
	size_t servers;
	uint64_t next;
	struct tape_idmap now, before; /* of sessions */
};

void tape_spread_begin(struct tape_spread *s, size_t servers);
void tape_spread_release(struct tape_spread *s);

/* The server for a request of that session (absent: none) in a pass over the
   trace, from 0. */
enum tape_status tape_spread_pick(struct tape_spread *s,
    struct tape_str session, uint64_t pass, size_t *server,
    struct tape_err *err) TAPE_NODISCARD;

#endif
