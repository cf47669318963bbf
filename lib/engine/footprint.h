/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * footprint: how much memory this process has resident, and how many streams
 * were open then.
 *
 * Samples are taken now and then by whoever has time; what is kept is the first
 * one and the one with the most memory, so that what a stream costs can be said
 * when many are open.  The kernel's socket buffers are not in it.
 */
#ifndef TAPE_ENGINE_FOOTPRINT_H
#define TAPE_ENGINE_FOOTPRINT_H

#include <stdint.h>

/* A zeroed struct is empty. */
struct tape_footprint {
	int64_t samples;
	int64_t start_bytes; /* of the first sample */
	int64_t max_bytes;
	int64_t open_at_max; /* streams open at the sample of max_bytes */
	int64_t open_max;    /* of all samples */
};

/* Resident bytes of this process; 0 where the kernel does not say. */
int64_t tape_footprint_resident(void);

void tape_footprint_add(
    struct tape_footprint *f, int64_t resident_bytes, int64_t open);

/* Bytes a stream: growth since the first sample over the streams open at the
   largest; -1 when fewer than TAPE_FOOTPRINT_STREAMS were. */
#define TAPE_FOOTPRINT_STREAMS 100
int64_t tape_footprint_per_stream(const struct tape_footprint *f);

#endif
