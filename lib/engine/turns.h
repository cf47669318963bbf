/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * turns: rows of one session become its turns: each waits for the one before.
 *
 * Holds the name and the last id of every session.  A zeroed struct is empty.
 */
#ifndef TAPE_ENGINE_TURNS_H
#define TAPE_ENGINE_TURNS_H

#include "base/err.h"
#include "record/record.h"

#define TAPE_TURNS_ID 24 /* room of an id, with its NUL */

struct tape_turns {
	void *sessions;
	char before[TAPE_TURNS_ID];
	struct tape_str after;
};

void tape_turns_release(struct tape_turns *t);

/*
 * Sets turn and after of a request with an id (of less than TAPE_TURNS_ID bytes)
 * and a session; without a session it does nothing.  after is valid until the
 * next call.  TAPE_E_NOMEM.
 */
enum tape_status tape_turns_set(struct tape_turns *t, struct tape_request *r,
    struct tape_err *err) TAPE_NODISCARD;

#endif
