/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * post: what the network loops, and the spool, tell the feeder: small notes by
 * value, in the order they were put.  Putting never waits; taking waits at most
 * so long.  Any number of threads may put, one takes.
 */
#ifndef TAPE_ENGINE_POST_H
#define TAPE_ENGINE_POST_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum tape_note_kind {
	TAPE_NOTE_STARTED, /* a request went to the network: bytes ahead */
	TAPE_NOTE_DONE     /* it has ended: key, t_ns, ok */
};

/* Conditions, which need no memory; each is told once. */
enum tape_note_flag {
	TAPE_NOTE_STOPPED = 1 << 0, /* no more is wanted in this stage */
	TAPE_NOTE_DRAINED = 1 << 1, /* the stage is over, nothing is open */
	TAPE_NOTE_TRACE = 1 << 2    /* there is more of the trace, or an end */
};

struct tape_note {
	enum tape_note_kind kind;
	bool ok;
	unsigned loop; /* number of the loop that says it */
	size_t bytes;
	uint64_t key;
	int64_t t_ns;
};

#define TAPE_POST_BATCH 16

struct tape_post;

enum tape_status tape_post_open(
    struct tape_post **p, struct tape_err *err) TAPE_NODISCARD;
void tape_post_free(struct tape_post *p);

/*
 * n notes.  TAPE_E_NOMEM: none of them is there.  Those that are not urgent
 * wake whoever waits only with TAPE_POST_BATCH of them: waking costs more than
 * the note.
 */
enum tape_status tape_post_put(struct tape_post *p,
    const struct tape_note *notes, size_t n, bool urgent,
    struct tape_err *err) TAPE_NODISCARD;

void tape_post_flag(struct tape_post *p, enum tape_note_flag flag);

/*
 * All notes so far and *flags since the last call, waiting at most timeout_ns
 * for one or the other (0: not at all).  *notes is valid until the next call.
 * Returns how many.
 */
size_t tape_post_take(struct tape_post *p, int64_t timeout_ns,
    const struct tape_note **notes, unsigned *flags);

#endif
