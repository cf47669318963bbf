/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve_text: the JSON that the model server sends around the words that it
 * says.
 *
 * Everything is appended to a buffer, whose sticky status tells of failures.
 * What is said around the words is the dialect's; chat and completions are in
 * serve_text.c.
 */
#ifndef TAPE_ENGINE_SERVE_TEXT_H
#define TAPE_ENGINE_SERVE_TEXT_H

#include "base/buf.h"
#include "base/span.h"
#include "engine/serve_dialect.h"

/* "llmtape":{"t":"12345.123456789","late_ns":1234,"seq":7} in each event:
   when it was sent (CLOCK_MONOTONIC), and how long after its deadline. */
struct tape_serve_stamp {
	bool on;
	int64_t t_ns;
	int64_t late_ns;
	uint64_t seq;
};

/* A token event is: say, the words as the content of a JSON string, said, and
   the stamp, which is all that needs to know when it is sent. */
static inline void
tape_serve_text_say(struct tape_buf *b, const struct tape_serve_text *t)
{
	t->dialect->say(b, t);
}

static inline void
tape_serve_text_said(struct tape_buf *b, const struct tape_serve_text *t)
{
	t->dialect->said(b, t);
}

void tape_serve_text_stamp(struct tape_buf *b, const struct tape_serve_text *t,
    const struct tape_serve_stamp *s);

/* An event whose JSON stops in the middle. */
void tape_serve_text_cut(struct tape_buf *b, const struct tape_serve_text *t);

/* The ith event before the first token, or behind the last; false when there is
   none. */
bool tape_serve_text_lead(struct tape_buf *b, const struct tape_serve_text *t,
    unsigned i, const struct tape_serve_stamp *s);
bool tape_serve_text_tail(struct tape_buf *b, const struct tape_serve_text *t,
    unsigned i, const struct tape_serve_stamp *s);

/* An error as an event of a stream; message needs no escapes in JSON. */
void tape_serve_text_fail(struct tape_buf *b, const struct tape_serve_text *t,
    int status, const char *message);

/* An answer that is not streamed: begin of the dialect, words as the content of
   a JSON string, end. */
void tape_serve_text_end(struct tape_buf *b, const struct tape_serve_text *t,
    const struct tape_serve_stamp *s);

/* An error object; message is any text. */
void tape_serve_text_error(struct tape_buf *b, int status, const char *message);

/* The only model there is; name is a JSON string with its quotes. */
void tape_serve_text_models(
    struct tape_buf *b, struct tape_str name, int64_t created_s);

#endif
