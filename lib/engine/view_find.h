/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_find: finds exchanges in a wire or events stream.
 *
 * In a file with index frames only these are read, and of the data the parts
 * that hold what is looked for.  Everything that an index says is a hint: what
 * is decoded is compared with its index, and where they differ, where a part
 * cannot be decoded, or where nothing is found, all of the file is read.  What
 * else was in flight is taken from the index frames, whose checksums hold.
 *
 * Everything else, and what comes from a pipe, is read once, from its begin.
 */
#ifndef TAPE_ENGINE_VIEW_FIND_H
#define TAPE_ENGINE_VIEW_FIND_H

#include "engine/view_gather.h"

struct tape_view_input {
	int fd; /* borrowed */
	const char *name;
	bool no_index; /* read all */
};

/* What became of one input. */
struct tape_view_findings {
	uint64_t found;
	bool indexed;        /* index frames were used, and were right */
	uint64_t parts;      /* of the file, by its index frames */
	uint64_t decoded;    /* of these */
	struct tape_err err; /* of the input: TAPE_E_TRUNC and the like; what
	                       came before was looked through */
	bool failed;         /* an end record says so */
};

/*
 * Looks through one input and hands out what it finds.  What is wrong with the
 * input is in r->err, and TAPE_OK is returned; other failures are returned, with
 * err, which is not NULL here.
 */
enum tape_status tape_view_find(const struct tape_view_input *in,
    const struct tape_view_want *want, struct tape_view_sink sink,
    struct tape_view_findings *r, struct tape_err *err) TAPE_NODISCARD;

/* Private to view_find and view_parts: the same by index frames alone.  *usable
   is false when the file has to be read instead. */
struct tape_view_search {
	const struct tape_view_input *in;
	const struct tape_view_want *want;
	struct tape_view_gather gather;
	struct tape_view_findings *r;
	struct tape_view_sink sink;
	/* What was handed out, so that it is not again when the file is read
	   after all. */
	struct tape_view_key {
		uint64_t segment;
		int64_t x;
	} * seen;
	size_t seen_n, seen_cap, before; /* before: those of the first try */
};

enum tape_status tape_view_find_parts(struct tape_view_search *s, bool *usable,
    struct tape_err *err) TAPE_NODISCARD;

#endif
