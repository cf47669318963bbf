/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * partial: events without what no metric is made of, whole or one shard of
 * them.
 *
 * A partial is a stream of events: reduced, it gives what the events it is made
 * from would have given, whatever is asked for then.  Of a response are left
 * out the headers and the bodies of both sides, the bytes of each event, and
 * the server's stamps.
 *
 * A request belongs to one shard with all its attempts.  Records about runs are
 * in each shard, those of the device and of the clock in the first.
 */
#ifndef TAPE_ENGINE_PARTIAL_H
#define TAPE_ENGINE_PARTIAL_H

#include "record/writer.h"

struct tape_partial {
	uint64_t index; /* from 1 */
	uint64_t of;    /* 0: all */
	char name[48];  /* of the shard, in a header */
};

/* text is I/N, or NULL for all.  TAPE_E_USAGE. */
enum tape_status tape_partial_init(struct tape_partial *p, const char *text,
    struct tape_err *err) TAPE_NODISCARD;

/* Into the header of the output; TAPE_E_DATA when a shard is to be cut from
   one. */
enum tape_status tape_partial_header(const struct tape_partial *p,
    struct tape_header *h, struct tape_err *err) TAPE_NODISCARD;

/* Writes what is to be kept of a record, but headers and ends. */
enum tape_status tape_partial_record(const struct tape_partial *p,
    const struct tape_record *rec, struct tape_writer *w,
    struct tape_err *err) TAPE_NODISCARD;

#endif
