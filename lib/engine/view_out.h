/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_out: what trace-view found, as text for people or as JSON, one object a
 * line.
 */
#ifndef TAPE_ENGINE_VIEW_OUT_H
#define TAPE_ENGINE_VIEW_OUT_H

#include "codec/json_write.h"
#include "codec/stream_out.h"
#include "engine/view_line.h"
#include "engine/view_sum.h"

#define TAPE_VIEW_WIDTH     100 /* columns of a line, unless it is told */
#define TAPE_VIEW_WIDTH_MIN 60
#define TAPE_VIEW_WALL      32 /* room for a wall clock time */

struct tape_view_text {
	struct tape_out *out; /* borrowed */
	size_t width;
	bool others; /* list what else was in flight */
	/* The rest is private. */
	bool begun;
	struct tape_buf buf;
	struct tape_json_writer json;
};

void tape_view_text_init(struct tape_view_text *t, struct tape_out *out);
void tape_view_text_release(struct tape_view_text *t);

/* Two ways to tell an exchange; t is borrowed. */
struct tape_view_teller tape_view_to_text(struct tape_view_text *t);
struct tape_view_teller tape_view_to_json(struct tape_view_text *t);

/* A segment, as a table or as JSON. */
enum tape_status tape_view_sum_text(struct tape_view_text *t,
    const struct tape_view_sum *s, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_view_sum_json(struct tape_view_text *t,
    const struct tape_view_sum *s, struct tape_err *err) TAPE_NODISCARD;

/* For these. */

/* Writes out what is in buf, and empties it. */
enum tape_status tape_view_flush(
    struct tape_view_text *t, struct tape_err *err) TAPE_NODISCARD;

/*
 * Appends text in at most so many columns, "..." for what is cut.  Control
 * characters and those that turn the direction of writing come as \n, \t,
 * \xNN or \uNNNN; so do bytes that are not UTF-8.
 */
void tape_view_escape(struct tape_buf *b, struct tape_str s, size_t columns);

/* A member of an object, unless it is absent. */
void tape_view_put_text(
    struct tape_json_writer *w, const char *key, struct tape_str s);
void tape_view_put_i64(struct tape_json_writer *w, const char *key, int64_t v);

/* Appends "1 read", "2 reads". */
void tape_view_count(struct tape_buf *b, uint64_t n, const char *what);

/* How an other exchange stood at the time t_ns: over, receiving, waiting,
   connecting, not begun; running when its own times are not known. */
const char *tape_view_phase(const struct tape_view_span *s, int64_t t_ns);

/* A time from the segment's epoch as wall clock time.  Returns dst. */
char *tape_view_wall(
    const struct tape_header *h, int64_t t_ns, char dst[TAPE_VIEW_WALL]);

#endif
