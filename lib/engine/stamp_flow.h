/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stamp_flow: one exchange while it is put together: bytes and reads go in,
 * record by record; a response comes out.
 */
#ifndef TAPE_ENGINE_STAMP_FLOW_H
#define TAPE_ENGINE_STAMP_FLOW_H

#include "codec/framing.h"
#include "engine/stamp_events.h"
#include "engine/stamp_head.h"
#include "engine/stamp_steps.h"

#define TAPE_FLOW_BEGIN   1024 /* bytes that are kept of an answer's begin */
#define TAPE_FLOW_MESSAGE ((size_t)4096) /* ceiling of an error's message */

struct tape_flow {
	struct tape_flow *next, *prev; /* the owner's, as is slot */
	uint64_t slot;
	int64_t x;
	int64_t seq;           /* of the next part */
	struct tape_buf first; /* the transfer, for a response if it is lost */

	/* The rest is private. */
	enum tape_flow_mode mode;
	struct tape_flow_head head;
	const struct tape_api *api;
	int64_t start_ns;
	int64_t origin_ns; /* start_ns on the monotonic clock */
	const struct tape_stamp_steps *steps;
	/* The answer's first bytes, out of their coding, as a string: a NUL is
	   a blank there. */
	char begin[TAPE_FLOW_BEGIN];
	size_t begin_len;
	int64_t spliced; /* malformed events of more than one payload */
	struct tape_framer framer;
	struct tape_unpack unpack;
	bool cut_short; /* the compressed body lacks its end */
	struct tape_api_decoder decoder;
	struct tape_stamp_events events;
	struct tape_buf body; /* of mode BODY, when it comes in parts */
	int64_t reads;
	int64_t body_bytes;
	int64_t finish_at, usage_at;
	struct tape_err broken; /* a limit was exceeded, or the framing is none;
	                           nothing is decoded after that */
	/* The record in hand: which read is being taken. */
	struct tape_reads in;
	size_t at;
	int64_t end; /* body bytes up to and with it */
	struct tape_stamp_read last;
	/* Of the response. */
	struct tape_buf text;
	struct tape_buf message; /* of its error */
	struct tape_buf usage;
	struct tape_buf timing;
	struct tape_str *finish;
	size_t finish_cap;
	char sha[TAPE_API_SHA256_TEXT];
};

void tape_flow_init(struct tape_flow *f, bool keep_text);
void tape_flow_release(struct tape_flow *f);

/* What a segment has to say about its exchanges. */
struct tape_flow_about {
	const struct tape_api *api; /* as in tape_stamp_opts */
	int64_t epoch_mono_ns;
	bool bare; /* times were kept, and no bytes */
	const struct tape_api_pointers *pointers; /* of the run, or NULL */
	const struct tape_stamp_steps *steps;     /* borrowed; NULL none */
};

/* Begins an exchange, from its first record. */
enum tape_status tape_flow_begin(struct tape_flow *f,
    const struct tape_transfer *t, const struct tape_flow_about *about,
    struct tape_err *err) TAPE_NODISCARD;

/* Takes the bytes and reads of a part or an exchange; scratch is for bytes
   that came as base64. */
enum tape_status tape_flow_feed(struct tape_flow *f,
    const struct tape_exchange *x, struct tape_buf *scratch, bool last,
    struct tape_err *err) TAPE_NODISCARD;

/* The wall clock stepped: events that were read then have their user time. */
void tape_flow_doubt(struct tape_flow *f, const struct tape_stamp_step *step);

/*
 * Fills all of the response but its transfer, which is there already and whose
 * error this sets or refines (stamp_judge.h).  Spans are borrowed from f until its next
 * call.
 */
enum tape_status tape_flow_finish(struct tape_flow *f,
    struct tape_response *out, struct tape_err *err) TAPE_NODISCARD;

#endif
