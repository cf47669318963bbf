/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stream_map: the parts of a stored file as its index frames tell them, so that
 * a few of them can be decoded without the others.
 *
 * The file is walked from its end, and only index frames are read.  Each is
 * checked: its own checksum, and that it stands behind the bytes that it is
 * about.  What none covers, as behind a crash, is a part without index.  The
 * parts follow each other without a gap, from the first byte to the last, and
 * each begins and ends with a frame.
 *
 * Memory: at most TAPE_MAP_MAX parts and one index frame, whatever stands in
 * the file; where there are more parts, the whole file is one without index.
 */
#ifndef TAPE_CODEC_STREAM_MAP_H
#define TAPE_CODEC_STREAM_MAP_H

#include "codec/stream_index.h"

#define TAPE_MAP_MAX ((size_t)1 << 20)

struct tape_map_part {
	uint64_t at;          /* of its first byte */
	uint64_t bytes;       /* of frames, without the index */
	uint64_t lines;       /* as the index says; 0 without one */
	uint32_t index_bytes; /* behind them; 0: there is no index */
	uint8_t marks;        /* of the index */
	bool wanted;          /* what visit said of it */
};

struct tape_map {
	int fd; /* borrowed */
	uint64_t size;
	struct tape_map_part *v; /* in the order of the file */
	size_t n, cap;
	size_t indexed; /* parts with an index */
	struct tape_buf frame, window;
	uint64_t search_left; /* bytes that searches may still look at */
};

/* Is shown each index frame, the last first; whether the part is wanted.  visit
   may be NULL: none is. */
struct tape_map_visitor {
	bool (*visit)(void *arg, const struct tape_index *head,
	    struct tape_index_scan *scan);
	void *arg;
};

/* Walks the regular file fd.  TAPE_E_IO, TAPE_E_NOMEM; release in any case.  err
   is not NULL. */
enum tape_status tape_map_open(struct tape_map *m, int fd,
    struct tape_map_visitor visitor, struct tape_err *err) TAPE_NODISCARD;
void tape_map_release(struct tape_map *m);

/* Reads the index of part i again.  TAPE_E_FORMAT: there is none (any more).
   The scan is valid until the next call with m. */
enum tape_status tape_map_index(struct tape_map *m, size_t i,
    struct tape_index *head, struct tape_index_scan *scan,
    struct tape_err *err) TAPE_NODISCARD;

#endif
