/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve_dialect: in which form the model server is asked and answers: the
 * dialects of other servers around one model.
 *
 * One file per dialect (serve_say_NAME.c; chat and completions are in
 * serve_text.c) defines one struct tape_serve_dialect, and the table in
 * serve_dialect.c lists it.  Its functions append to a buffer, whose sticky
 * status tells of failures.
 */
#ifndef TAPE_ENGINE_SERVE_DIALECT_H
#define TAPE_ENGINE_SERVE_DIALECT_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/span.h"

#define TAPE_SERVE_LIMIT_KEYS 2

/* How the input stands in the body. */
enum tape_serve_input {
	TAPE_SERVE_MESSAGES, /* an array of objects with content or parts */
	TAPE_SERVE_TEXT,     /* a string, token numbers, or one of these in an
	                        array */
	TAPE_SERVE_EITHER    /* a string, or messages */
};

enum tape_serve_streams {
	TAPE_SERVE_IF_ASKED,  /* by the member stream */
	TAPE_SERVE_IF_NOT_SO, /* unless stream is false */
	TAPE_SERVE_BY_PATH    /* stream_path is that of streams */
};

/* Which members of a body count; the same in all: model, stream,
   stream_options.include_usage, ignore_eos. */
struct tape_serve_shape {
	enum tape_serve_input input;
	const char *input_key;
	const char *ids_key;   /* token numbers instead; NULL: there are none */
	const char *extra_key; /* more of the prompt, as text or as the content
	                          of a message; NULL: none */
	const char *limit_keys[TAPE_SERVE_LIMIT_KEYS]; /* of output tokens */
	const char *options_key; /* object in which limit_keys and ignore_eos
	                            stand; NULL: in the body itself */
	enum tape_serve_streams streams;
	bool usage; /* is in each stream, asked for or not */
};

struct tape_serve_usage {
	uint64_t prompt_tokens;
	uint64_t cached_tokens;
	uint64_t output_tokens; /* that are said with the event in hand */
};

struct tape_serve_dialect;

/* What the events of a response are made of. */
struct tape_serve_text {
	const struct tape_serve_dialect *dialect;
	char id[48];           /* goes into JSON as it is */
	struct tape_str model; /* a JSON string, with its quotes */
	struct tape_serve_usage usage;
	bool tell_usage;      /* the client wants it in a stream */
	const char *finish;   /* "stop" or "length" */
	struct tape_str kept; /* all that was said, as the content of a JSON
	                         string, where the dialect keeps it */
	uint64_t index;       /* of the token event in hand, from 0 */
	uint64_t seq;         /* events before the one in hand */
	bool last;            /* no token event follows */
	int64_t wall_ns;      /* of the clock on the wall, at its arrival */
	int64_t prompt_ns;    /* from there to the first token, known behind
	                         the last one */
	int64_t output_ns;    /* from there to the last one; likewise */
};

enum tape_serve_event {
	TAPE_SERVE_NO_EVENT,
	TAPE_SERVE_JSON_EVENT, /* a JSON object without its last brace: the
	                          stamp goes in, then "}" and eol */
	TAPE_SERVE_OWN_EVENT   /* complete */
};

/*
 * An event is what lead, tail or say, words and said make.  lead and tail are
 * called with i from 0 until there is NO_EVENT: these are the events before the
 * first token, and behind the last.  NULL: there are none.
 */
struct tape_serve_dialect {
	const char *name;        /* as --api of trace-replay has it */
	const char *path;        /* {model} stands for any text */
	const char *stream_path; /* NULL: the same */
	/* Another dialect of the same path, for a body that is not of this one;
	   NULL: there is none. */
	const struct tape_serve_dialect *instead;
	const char *id;     /* how ids begin */
	const char *type;   /* content type of a stream */
	const char *before; /* an event: "data: " */
	const char *eol;    /* behind it */
	struct tape_serve_shape shape;
	bool keeps; /* needs all that was said */

	enum tape_serve_event (*lead)(
	    struct tape_buf *b, const struct tape_serve_text *t, unsigned i);
	void (*say)(struct tape_buf *b, const struct tape_serve_text *t);
	void (*said)(struct tape_buf *b, const struct tape_serve_text *t);
	enum tape_serve_event (*tail)(
	    struct tape_buf *b, const struct tape_serve_text *t, unsigned i);

	/* An answer that is not streamed: begin, words, end, the stamp, "}". */
	void (*begin)(struct tape_buf *b, const struct tape_serve_text *t);
	void (*end)(struct tape_buf *b, const struct tape_serve_text *t);

	/* An error event of a stream, complete; NULL: an error object as of the
	   OpenAI API between before and eol. */
	void (*fail)(struct tape_buf *b, const char *message);
	const char *done; /* ends a stream that failed; NULL: nothing */
};

extern const struct tape_serve_dialect tape_serve_chat, tape_serve_completions,
    tape_serve_responses, tape_serve_anthropic, tape_serve_gemini,
    tape_serve_cohere, tape_serve_hf, tape_serve_ollama_chat,
    tape_serve_ollama_generate, tape_serve_llamacpp, tape_serve_sglang,
    tape_serve_triton;

/* What a path asks for. */
struct tape_serve_asked {
	const struct tape_serve_dialect *dialect; /* NULL: no such path */
	const char *path;                         /* as the table has it */
	struct tape_str model; /* in the path, as it stands there; or absent */
	bool stream;           /* it is the path of streams only */
};
struct tape_serve_asked tape_serve_dialect_of(const char *path);

/* ---- for the files of dialects ---- */

#define TAPE_SERVE_ADD(b, literal)                                             \
 ((void)tape_buf_add((b), (literal), sizeof(literal) - 1))

#define TAPE_SERVE_SSE "text/event-stream; charset=utf-8"

static inline uint64_t
tape_serve_created_s(const struct tape_serve_text *t)
{
	return (uint64_t)(t->wall_ns / TAPE_NS_PER_S);
}

void tape_serve_add_u64(struct tape_buf *b, uint64_t v);

static inline void
tape_serve_add_str(struct tape_buf *b, struct tape_str s)
{
	(void)tape_buf_add(b, s.p, s.len);
}

/* "key":value */
void tape_serve_add_count(struct tape_buf *b, const char *key, uint64_t v);

#endif
