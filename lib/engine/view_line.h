/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_line: an exchange that was found, read by read: which bytes came when,
 * and which events they completed.
 *
 * Bytes are decoded as sse-timestamp does it (codec/framing, api).  Of a response
 * the events are known without their bytes, and each is handed out as a read
 * of its own.
 */
#ifndef TAPE_ENGINE_VIEW_LINE_H
#define TAPE_ENGINE_VIEW_LINE_H

#include "api/api.h"
#include "codec/framing.h"
#include "engine/stamp_head.h"
#include "engine/view_gather.h"

/* An event; text is its text, or else its finish reason, error or data. */
struct tape_view_event {
	char class;
	bool malformed;
	int64_t text_bytes;
	size_t text_at, text_len; /* in texts */
};

/* Times are from the exchange's start_ns; TAPE_ABSENT_I64 is unknown. */
struct tape_view_read {
	uint64_t n;     /* from 1 */
	int64_t t_ns;   /* user time */
	int64_t lag_ns; /* user minus kernel time, -1 unknown */
	int64_t gap_ns; /* from the read before, or the head, by the kernel's
	                   times if both are known */
	int64_t bytes;
	char clk;            /* k or u; of an event in a response also m */
	struct tape_str raw; /* the bytes, absent when they were not kept */
	const struct tape_view_event *events;
	size_t events_n;
	const char *texts;
};

/* The exchange as a whole. */
struct tape_view_story {
	const struct tape_view_found *found;
	const struct tape_view_crowd *crowd;
	const struct tape_header *header;
	const struct tape_transfer *t; /* as it was known last */
	bool is_response;              /* without bytes */
	bool bytes_kept;
	int64_t parts;
	const char *type; /* content type, or "" */
	/* At the end. */
	uint64_t reads;
	int64_t bytes;
	uint64_t events, token_events, malformed;
	struct tape_err err; /* what is wrong with its records */
};

struct tape_view_teller {
	enum tape_status (*begin)(
	    void *arg, const struct tape_view_story *s, struct tape_err *err);
	enum tape_status (*read)(
	    void *arg, const struct tape_view_read *r, struct tape_err *err);
	enum tape_status (*end)(
	    void *arg, const struct tape_view_story *s, struct tape_err *err);
	void *arg;
};

struct tape_view_line {
	struct tape_view_teller teller;
	struct tape_view_story story;
	/* The rest is private. */
	struct tape_record header, whole, rec;
	struct tape_framer framer;
	struct tape_unpack unpack;
	struct tape_api_decoder decoder;
	enum tape_flow_mode mode;
	struct tape_flow_head head;
	struct tape_buf body, bytes, texts;
	struct tape_view_event *events;
	size_t events_n, events_cap;
	bool has_last; /* a read, or the head, came before: */
	int64_t last_t_ns, last_lag_ns;
};

void tape_view_line_init(
    struct tape_view_line *l, struct tape_view_teller teller);
void tape_view_line_release(struct tape_view_line *l);

/*
 * Tells one exchange.  What is wrong with its records goes into the story, and
 * is no failure here; those of the teller are returned.
 */
enum tape_status tape_view_line_tell(struct tape_view_line *l,
    const struct tape_view_found *found, const struct tape_view_crowd *crowd,
    struct tape_err *err) TAPE_NODISCARD;

#endif
