/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve_text: the JSON that the model server sends, shaped as that of the
 * OpenAI API, around the words that it says.
 *
 * Everything is appended to a buffer, whose sticky status tells of failures.
 * Events come with "data: " before and an empty line behind them.
 */
#ifndef TAPE_ENGINE_SERVE_TEXT_H
#define TAPE_ENGINE_SERVE_TEXT_H

#include "base/buf.h"
#include "base/span.h"

/* What all events of a response have in common. */
struct tape_serve_text {
	bool chat;
	char id[40]; /* goes into JSON as it is */
	int64_t created_s;
	struct tape_str model; /* a JSON string, with its quotes */
};

/* "llmtape":{"t":"12345.123456789","late_ns":1234,"seq":7} in each event:
   when it was sent (CLOCK_MONOTONIC), and how long after its deadline. */
struct tape_serve_stamp {
	bool on;
	int64_t t_ns;
	int64_t late_ns;
	uint64_t seq;
};

struct tape_serve_usage {
	uint64_t prompt_tokens;
	uint64_t cached_tokens;
	uint64_t output_tokens;
};

/* The event before the first token of a chat; a completion has none. */
void tape_serve_text_role(struct tape_buf *b, const struct tape_serve_text *t,
    const struct tape_serve_stamp *s);

/* A token event is: say, the words as the content of a JSON string, said, and
   the stamp, which is all that needs to know when it is sent. */
void tape_serve_text_say(struct tape_buf *b, const struct tape_serve_text *t);
void tape_serve_text_said(struct tape_buf *b, const struct tape_serve_text *t);
void tape_serve_text_stamp(
    struct tape_buf *b, const struct tape_serve_stamp *s);

/* An event whose JSON stops in the middle. */
void tape_serve_text_cut(struct tape_buf *b, const struct tape_serve_text *t);

void tape_serve_text_finish(struct tape_buf *b, const struct tape_serve_text *t,
    const char *reason, const struct tape_serve_stamp *s);
void tape_serve_text_usage(struct tape_buf *b, const struct tape_serve_text *t,
    const struct tape_serve_usage *u, const struct tape_serve_stamp *s);

/* An answer that is not streamed: begin, words as the content of a JSON string,
   end. */
void tape_serve_text_begin(struct tape_buf *b, const struct tape_serve_text *t);
void tape_serve_text_end(struct tape_buf *b, const struct tape_serve_text *t,
    const char *reason, const struct tape_serve_usage *u,
    const struct tape_serve_stamp *s);

/* An error object; message is any text. */
void tape_serve_text_error(struct tape_buf *b, int status, const char *message);

/* The only model there is; name is a JSON string with its quotes. */
void tape_serve_text_models(
    struct tape_buf *b, struct tape_str name, int64_t created_s);

#endif
