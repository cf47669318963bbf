/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * merged: counts events that share a read, by the empty lines that end events,
 * without decoding them.
 *
 * Of several events in one read all but the last have a time that is too late.
 * That may be the server's doing, which sent them together, or this client's,
 * which came to the first one when the second was there.  A server's are read
 * as soon as any other, so the lag of the read tells them apart: late are those
 * of a read that began more than TAPE_MERGED_LATE_NS after the kernel had its
 * last byte.  Of a client that comes by at times that have nothing to do with
 * the server's, and so merges two events a gap apart, about the share
 * TAPE_MERGED_LATE_NS / gap escapes.  Without the kernel's time nothing is
 * late.
 *
 * An empty line that a cut between two pieces splits is not seen: at most one
 * event in 64 KiB.
 */
#ifndef TAPE_ENGINE_MERGED_H
#define TAPE_ENGINE_MERGED_H

#include "base/clock.h"
#include "engine/flight.h"

#define TAPE_MERGED_LATE_NS TAPE_NS_PER_MS

struct tape_merged {
	int64_t events;
	int64_t reads;  /* that completed more than one */
	int64_t behind; /* events that a later one shared its read with */
	int64_t late;   /* of these, those this client merged */
};

/* Adds what is in the piece; costs about as much as a memchr over it. */
void tape_merged_count(struct tape_merged *m, const struct tape_piece *p);

#endif
