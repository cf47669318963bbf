/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stream_group: the frames of a file since its last index frame, while they
 * are written.  Internal to codec/stream_out.
 *
 * A group ends with a frame that has entries, that ends a segment, or with
 * which the group has TAPE_GROUP_TEXT bytes of text: so frames in which there
 * is nothing to be found cost no index, and a group stays small.  Nothing of a
 * group outlives it.
 *
 * Positions are bytes written by the stream_out in hand.
 */
#ifndef TAPE_CODEC_STREAM_GROUP_H
#define TAPE_CODEC_STREAM_GROUP_H

#include "codec/stream_index.h"

#define TAPE_GROUP_TEXT (4U << 20)

struct tape_group {
	struct tape_index head; /* of the group so far */
	struct tape_index_rows rows;
	uint64_t begin;    /* position of its first frame */
	uint64_t lines;    /* before the group */
	uint64_t index_at; /* position of the last index frame */
	bool has_index;    /* there is one */
	char last[4];      /* bytes of stored data */
	struct tape_buf frame;
};

void tape_group_init(struct tape_group *g);
void tape_group_release(struct tape_group *g);

/* The line that comes next has this entry.  One that cannot be kept makes the
   group partial. */
void tape_group_note(struct tape_group *g, const struct tape_index_entry *e);

/* A line of that length is in the frame in hand; true when that frame should
   end, since the index has no more room. */
bool tape_group_line(struct tape_group *g, size_t len);

/* Bytes of a frame, as they are stored. */
void tape_group_stored(struct tape_group *g, const char *p, size_t len);

/*
 * A frame has ended at this position.  The index frame to be written there, in
 * *index, or an empty span; borrowed until the next call.  last: there will be
 * no other frame.
 */
void tape_group_frame(struct tape_group *g, uint64_t position, bool last,
    const char **index, size_t *len);

#endif
