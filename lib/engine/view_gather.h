/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_gather: the records of the exchanges that are looked for, and when the
 * others were in flight, out of one segment.
 *
 * What is looked for is checked in the records themselves, so that records may
 * be fed that have nothing to do with it.  At the end of the segment each
 * exchange found is handed out, in the order in which they began to come, with
 * what else was in flight.
 *
 * What a run's record says of how to read its answers is kept until then, so the
 * records of runs have to be fed as well; blind says that one was not.
 *
 * Memory: the records of what was found, up to TAPE_VIEW_FOUND_BYTES, and 48
 * bytes for each other exchange that is fed, up to TAPE_VIEW_SPANS of them.
 */
#ifndef TAPE_ENGINE_VIEW_GATHER_H
#define TAPE_ENGINE_VIEW_GATHER_H

#include "engine/stamp_runs.h"
#include "record/coding.h"

#include <stdbool.h>

#define TAPE_VIEW_FOUND_BYTES ((size_t)256 << 20)
#define TAPE_VIEW_SPANS       ((size_t)16 << 20)

/* What is looked for: id, x, or both. */
struct tape_view_want {
	struct tape_str id; /* absent: any */
	int64_t x;          /* TAPE_ABSENT_I64: any */
	int64_t run;        /* likewise */
	bool others;        /* keep ids and phases of the others */
};

bool tape_view_wants(
    const struct tape_view_want *want, const struct tape_transfer *t);

/* What a part, an exchange or a response says of its exchange; NULL of other
   records. */
const struct tape_transfer *tape_view_transfer(const struct tape_record *rec);

/* When an exchange was in flight; from the epoch. */
struct tape_view_span {
	int64_t x;
	int64_t start_ns, end_ns;
	int64_t sent_ns, head_ns; /* TAPE_ABSENT_I64 unknown */
	uint32_t id_at, id_len;   /* in ids; 0, 0: unknown */
};

/* The segment in hand. */
struct tape_view_place {
	const char *name; /* of the input */
	uint64_t segment; /* its number there, from 1 */
	struct tape_str header;
};

/* One exchange as it was found. */
struct tape_view_found {
	struct tape_view_place place;
	int64_t x;
	uint64_t line;         /* of its last record */
	struct tape_buf lines; /* its records as they were read, each with LF */
	bool lost;             /* it has parts only */
	int64_t start_ns, end_ns;
	const struct tape_api_pointers *pointers; /* of its run; NULL: none */
};

/* What else was in flight while it was. */
struct tape_view_crowd {
	bool known; /* false: more spans than are kept */
	int64_t at_start, min, max;
	const struct tape_view_span *v; /* those, in the order of start */
	size_t n;
	const char *ids; /* what id_at is an offset of */
};

struct tape_view_sink {
	enum tape_status (*found)(void *arg, const struct tape_view_found *f,
	    const struct tape_view_crowd *crowd, struct tape_err *err);
	void *arg;
};

struct tape_view_gather {
	const struct tape_view_want *want;
	struct tape_view_sink sink;
	/* An exchange looked for was fed whose answer is read as its run's
	   record says, and the last such record was of another run. */
	bool blind;
	/* The rest is private. */
	const char *name;
	struct tape_stamp_runs runs;
	int64_t run; /* of the last record of one */
	uint64_t segment;
	struct tape_buf header;
	struct tape_view_found *found;
	size_t found_n, found_cap, found_bytes;
	struct tape_view_span *spans;
	size_t spans_n, spans_cap;
	bool spans_full;
	struct tape_buf ids;
	struct tape_view_span *crowd;
	size_t crowd_n, crowd_cap;
	int64_t *edges;
	size_t edges_cap;
};

void tape_view_gather_init(struct tape_view_gather *g,
    const struct tape_view_want *want, struct tape_view_sink sink,
    const char *name);
void tape_view_gather_release(struct tape_view_gather *g);

/* A segment begins, with this header line; its number from 1. */
enum tape_status tape_view_gather_begin(struct tape_view_gather *g,
    uint64_t segment, struct tape_str header,
    struct tape_err *err) TAPE_NODISCARD;

/* An exchange that is none of those looked for. */
void tape_view_gather_span(
    struct tape_view_gather *g, const struct tape_view_span *s);

/* Any record between header and end, of that line.  TAPE_E_LIMIT: more was
   found than is kept. */
enum tape_status tape_view_gather_record(struct tape_view_gather *g,
    const struct tape_record *rec, uint64_t line,
    struct tape_err *err) TAPE_NODISCARD;

/* The segment is over: hands out what was found.  Does nothing outside of
   one. */
enum tape_status tape_view_gather_end(
    struct tape_view_gather *g, struct tape_err *err) TAPE_NODISCARD;

/* Forgets the segment in hand. */
void tape_view_gather_drop(struct tape_view_gather *g);

#endif
