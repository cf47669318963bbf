/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * own_lines: header fields that differ from request to request: the session, by
 * which a balancer finds the server that served it before, and an id, by which
 * the log of a server finds the record of the request.
 */
#ifndef TAPE_ENGINE_OWN_LINES_H
#define TAPE_ENGINE_OWN_LINES_H

#include "base/span.h"

#include <stddef.h>
#include <stdint.h>

#define TAPE_OWN_LINE_BYTES ((size_t)1024) /* of one; a value is cut */
#define TAPE_OWN_ID_TEXT    37             /* room for an id */

/* Names of the fields; NULL: not sent. */
struct tape_own_lines {
	const char *session, *id;
	/* Tells runs of this program apart; the same for all ids of one. */
	uint64_t salt;
};

/* A salt from clocks and this process. */
uint64_t tape_own_lines_salt(void);

/* The id of exchange x: a UUID, in form, whose last 12 digits are x.  Returns
   dst. */
char *tape_own_lines_id(uint64_t salt, int64_t x, char dst[TAPE_OWN_ID_TEXT]);

/* The lines of one request. */
struct tape_own_lines_text {
	const char *line[2];
	size_t n;
	char text[2][TAPE_OWN_LINE_BYTES];
};

/*
 * Fills t for a request of that session (absent: none, and no line of it).
 * Bytes of a session that no header may have, and blanks, are written as %XX.
 */
void tape_own_lines_fill(struct tape_own_lines_text *t,
    const struct tape_own_lines *names, struct tape_str session,
    const char *id);

#endif
