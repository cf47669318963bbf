/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * live: anybody's event stream, stamped as it comes.
 *
 * The caller reads, takes the time right after each read, before anything looks
 * at the bytes, and feeds them here; rows come out, one an event.  How events
 * are told apart is seen from the first bytes (codec/framing).  When a
 * request began is not known here, so there is no time to first token; times
 * are those that the caller gives.
 */
#ifndef TAPE_ENGINE_LIVE_H
#define TAPE_ENGINE_LIVE_H

#include "api/api.h"
#include "codec/framing.h"
#include "record/record.h"

#define TAPE_LIVE_CHOICES 64 /* whose gaps are told apart */

/* Spans are valid during the call. */
struct tape_live_row {
	int64_t seq;
	int64_t t_ns;
	bool merged;          /* another event shares its read */
	int64_t bytes;        /* of the stream, since the row before */
	struct tape_str type; /* its event field, or "" */
	char class;           /* as in llmtape-stream(5) */
	int64_t text_bytes;
	struct tape_str show; /* text, finish reason, message or data */
	struct tape_str data;
};

struct tape_live_sink {
	enum tape_status (*row)(
	    void *arg, const struct tape_live_row *row, struct tape_err *err);
	void *arg;
};

struct tape_live {
	/* Read only. */
	int64_t events; /* comments included */
	int64_t token_events;
	bool failed;     /* an event said so */
	double *gaps_ns; /* between token events of one choice */
	size_t gaps;
	/* The rest is private. */
	struct tape_live_sink sink;
	struct tape_framer framer;
	bool framed;     /* its kind is known */
	uint64_t blanks; /* bytes before it, of white space */
	struct tape_api_decoder decoder;
	int64_t t_ns;
	uint64_t offset;
	char head[33]; /* the input's first bytes, for a message */
	size_t head_len;
	size_t gaps_cap;
	int64_t last_ns[TAPE_LIVE_CHOICES];
	/* The row in hand, until it is known whether its read has another. */
	bool pending;
	struct tape_live_row row;
	struct tape_buf type, show, data;
};

void tape_live_init(struct tape_live *l, const struct tape_api *api,
    struct tape_live_sink sink);
void tape_live_release(struct tape_live *l);

/* The bytes of one read, which came at t_ns. */
enum tape_status tape_live_feed(struct tape_live *l, const char *p, size_t len,
    int64_t t_ns, struct tape_err *err) TAPE_NODISCARD;

/*
 * At the end of the input, from which a last row may come: TAPE_E_FORMAT when
 * nothing in it looks like an event stream.  Sorts the gaps.
 */
enum tape_status tape_live_finish(
    struct tape_live *l, struct tape_err *err) TAPE_NODISCARD;

/*
 * The record of a row; data with text only.  Bytes that cannot stand in a
 * record (not UTF-8, or NUL) become U+FFFD, in scratch, which is cleared.
 */
enum tape_status tape_live_record(const struct tape_live_row *row, bool text,
    struct tape_buf *scratch, struct tape_live_event *out,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * Appends a row for people: milliseconds since first_ns and since prev_ns
 * (INT64_MIN: none), class, and what it shows, cut to width columns or so.
 * Control characters and what is not UTF-8 are replaced.
 */
enum tape_status tape_live_line(const struct tape_live_row *row,
    int64_t first_ns, int64_t prev_ns, size_t width, struct tape_buf *out);

/* Appends one line of sums; without LF. */
enum tape_status tape_live_sums(
    const struct tape_live *l, struct tape_buf *out);

#endif
