/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * live_read: from an input to a live stream, with the time of each read(2),
 * taken right after it returned.
 *
 * Compressed input has no times of its own: its bytes get those of the reads in
 * order, as far as they go.
 */
#ifndef TAPE_ENGINE_LIVE_READ_H
#define TAPE_ENGINE_LIVE_READ_H

#include "base/clock.h"
#include "codec/stream_in.h"
#include "engine/live.h"

struct tape_live_read {
	/* Read only. */
	int64_t first_ns; /* time of the first read; INT64_MIN: none yet */
	/* The rest is private. */
	const struct tape_clock *clock;
	struct tape_in *in;
	struct tape_live_mark {
		uint64_t end; /* the bytes up to here came */
		int64_t t_ns; /* at this time */
	} * marks;            /* of reads of which not all bytes were fed */
	size_t marks_n, marks_cap;
	bool out_of_memory;
	uint64_t bytes_read, bytes_fed;
};

/*
 * Watches an input, which is borrowed and not yet read: from now on its reads
 * are timed, those of a peek too.
 */
void tape_live_read_init(struct tape_live_read *r,
    const struct tape_clock *clock, struct tape_in *in);

/* Ends the watch. */
void tape_live_read_release(struct tape_live_read *r);

/* Feeds the whole input to l, read by read, and finishes it. */
enum tape_status tape_live_read_all(struct tape_live_read *r,
    struct tape_live *l, struct tape_err *err) TAPE_NODISCARD;

#endif
