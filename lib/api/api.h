/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api: the dialects of servers, behind two operations: a neutral input becomes
 * a request body; an event of the response becomes class, text, counts, usage,
 * finish reason, error.
 *
 * One file per dialect (api_chat.c, ...) defines one struct tape_api, and the
 * table in api.c lists it: a new dialect is a new file and a new row.
 */
#ifndef TAPE_API_API_H
#define TAPE_API_API_H

#include "api/neutral.h"
#include "api/prompt.h"
#include "base/buf.h"
#include "codec/framing.h"

struct tape_api_body;     /* api_body.h */
struct tape_api_pointers; /* api_pointers.h */
struct tape_api_decoder;
struct tape_api_event;

/* What is asked.  Everything is borrowed for the call. */
struct tape_api_ask {
	const struct tape_input *input;
	const struct tape_vocab_set *vocabs; /* NULL: no blocks */
	uint32_t salt;                       /* of block prompts */
	struct tape_str model;               /* absent: no field */
	bool stream;
	bool usage;            /* ask for usage in a stream */
	int64_t output_tokens; /* TAPE_ABSENT_I64: no limit in the body */
	const char *max_tokens_field; /* NULL: the dialect's own */
	struct tape_str form;         /* the user's template, api_form.h */
	struct tape_str params;       /* JSON objects, or absent: */
	struct tape_str extra;        /* other fields of the body */
	bool model_given;        /* by the user: recorded bodies get it, too */
	const char *const *drop; /* names of fields that are to go */
	size_t drop_n;
};

#define TAPE_API_HEADERS    4
#define TAPE_API_MODEL_SLOT "{model}"

struct tape_api {
	const char *name; /* as --api has it */
	/* Where it is served; {model} stands for the model's name.  stream_path
	   is that of streams; NULL: the same.  It may have a query. */
	const char *path;
	const char *stream_path;
	/* Header field of the key, which is its whole value; NULL: the key is a
	   bearer token in Authorization. */
	const char *key_field;
	const char
	    *headers[TAPE_API_HEADERS]; /* "Name: value" of its requests */
	/* Of a stream whose content type does not say. */
	enum tape_framing_kind framing;
	/* A stream may have neither a finish reason nor an end mark: an answer
	   that was received whole is complete. */
	bool open_ended;
	/* Its answers are one body and bear no tokens that are counted: they
	   are never streamed, and none is missed. */
	bool tokenless;
	/* Its answers may be anything: of which type and whether they bear
	   tokens is not known by the dialect. */
	bool opaque;
	/* Its bodies are forms and no JSON, and params and extra are fields
	   of them: render does all of it. */
	bool form;

	/* The object of one event, for a decode that has to do with such
	   (api_slots.h); NULL: it has not. */
	enum tape_status (*read)(struct tape_api_decoder *d,
	    struct tape_str data, struct tape_err *err);
	/* Not to be called but by tape_api_render and tape_api_decode. */
	enum tape_status (*render)(
	    struct tape_api_body *b, struct tape_err *err);
	enum tape_status (*decode)(struct tape_api_decoder *d,
	    struct tape_str type, struct tape_str data, struct tape_err *err);
	enum tape_status (*decode_body)(struct tape_api_decoder *d,
	    struct tape_str body, struct tape_err *err);
};

/* NULL when there is none of that name. */
const struct tape_api *tape_api_find(struct tape_str name);

/* The dialects in the order of the table; NULL behind the last. */
const struct tape_api *tape_api_at(size_t i);

/* Whether its requests name a model, in path or body; true in doubt.  form is
   the user's template, or absent. */
bool tape_api_has_model(const struct tape_api *api, struct tape_str form);

/* The dialect's endpoint, with {model} in it. */
const char *tape_api_endpoint(const struct tape_api *api, bool stream);

/*
 * Appends the path of a request: the input's own with a verbatim body, else the
 * dialect's endpoint with the model's name, percent-encoded.  *own: it is that
 * endpoint.  TAPE_E_USAGE when it needs a model and there is none.
 */
enum tape_status tape_api_path(const struct tape_api *api,
    const struct tape_api_ask *ask, struct tape_buf *out, bool *own,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * Appends the request body.  The body has the dialect's fields, then those of
 * params, then those of extra, and each top-level key once: that of extra wins
 * over that of params, which wins over the dialect's; values are verbatim.  A
 * field that is to go goes unless extra has it.
 *
 * A verbatim body goes as it is, but that top-level fields of extra replace its
 * own (or are added), a model that was given replaces the value of its field
 * model, and fields that are to go go.
 *
 * TAPE_E_USAGE when the dialect cannot say this input (token ids in chat,
 * messages in completions), or params or extra is no JSON object;
 * TAPE_E_FORMAT for blocks that cannot be rendered.  On failure out is cut back
 * to what it held.  Blocks take no memory besides out.
 */
enum tape_status tape_api_render(const struct tape_api *api,
    const struct tape_api_ask *ask, struct tape_buf *out,
    struct tape_err *err) TAPE_NODISCARD;

/* What a token-bearing event adds text to, in the order of precedence. */
enum tape_api_kind {
	TAPE_API_CONTENT,
	TAPE_API_REASONING,
	TAPE_API_TOOL,
	TAPE_API_REFUSAL,
	TAPE_API_AUDIO,
	TAPE_API_KINDS
};

/*
 * One event, decoded.  Spans live until the next call on the decoder, or until
 * the event's data goes.
 */
struct tape_api_event {
	/*
	 * Letter of llmtape-stream(5).  The first that applies: c g t x a (adds
	 * text), e error, d done, f finish reason, u usage, r role or empty
	 * delta, o anything else, malformed included.
	 */
	char class;
	bool malformed;     /* not JSON, or not of the dialect's shape */
	bool has_usage;     /* some usage stands in it */
	int64_t choice;     /* of its first text, else of its first choice, else
	                       TAPE_ABSENT_I64 */
	int64_t text_bytes; /* of its class, over all its choices */
	int64_t bytes[TAPE_API_KINDS];
	int64_t out_tokens;     /* the usage's, cumulative; -1 unknown */
	int64_t server_ns;      /* "llmtape" member of trace-serve --stamp: the
	                           server's monotonic clock */
	int64_t server_late_ns; /* likewise; TAPE_ABSENT_I64 in others */
	struct tape_str text;   /* its class's first piece of text, for show */
	struct tape_str finish; /* its first finish reason, or absent */
	struct tape_str error;  /* message of an error, else absent */
};

/* Whether that class adds text: c g t x a. */
static inline bool
tape_api_is_token(char class)
{
	return class == 'c' || class == 'g' || class == 't' || class == 'x' ||
	       class == 'a';
}

/* An event of class o, of which all is unknown. */
void tape_api_event_init(struct tape_api_event *ev);

/*
 * Token counts by the server's usage; TAPE_ABSENT_I64 unknown.  All members are
 * int64_t.
 */
struct tape_api_tokens {
	int64_t input;  /* what a cache had included */
	int64_t output; /* reasoning included, where the server does so */
	int64_t reasoning;
	int64_t cached;      /* of input, read from a cache */
	int64_t cache_write; /* of input, written to one */
	int64_t audio_input;
	int64_t audio_output;
	int64_t accepted; /* predicted output that was used, and was not */
	int64_t rejected;
	/* What these are made from where a server splits them up: for
	   api_counts.c. */
	int64_t bare_input; /* input, maybe without what a cache had */
	int64_t cache_read;
	int64_t cache_written;
	int64_t candidates; /* output without thoughts */
	int64_t thoughts;
	/* Of the server's timings, for want of others. */
	int64_t timed_input; /* without what a cache had */
	int64_t timed_cached;
	int64_t timed_output;
};

#define TAPE_API_MAX_CHOICES 1024 /* finish reasons are kept of */
#define TAPE_API_MAX_FINISH  64   /* bytes of one that are kept */

/*
 * The state of one response, and what it has added up to.  Fields are read
 * after each event or at the end; they are set by the functions below only.
 */
struct tape_api_decoder {
	const struct tape_api *api;
	bool keep_text;
	/* Of opaque dialects; NULL: none.  Set it after clear, which forgets
	   it. */
	const struct tape_api_pointers *pointers;

	/* Totals. */
	int64_t token_events;
	int64_t choice_events; /* likewise, of each choice for itself */
	/* Of each kind, whatever else was in the events. */
	int64_t kind_events[TAPE_API_KINDS];
	int64_t kind_bytes[TAPE_API_KINDS];
	int64_t malformed;
	bool done;             /* the dialect's end mark was seen */
	bool failed;           /* an error was seen */
	struct tape_buf error; /* its message: of the first one */
	/*
	 * Usage objects merged member by member: what comes later wins, null
	 * never.  Empty: none.
	 */
	struct tape_buf usage;
	struct tape_api_tokens tokens;
	struct tape_buf text; /* content of choice 0, with keep_text */
	bool has_text;        /* choice 0 had content */
	bool text_cut;        /* more than TAPE_CAP_TEXT of it: text is empty */
	int64_t choices;      /* highest index seen + 1, at most the cap */
	int64_t tool_calls;   /* distinct ids */

	struct tape_api_state *state; /* private */
};

void tape_api_decoder_init(
    struct tape_api_decoder *d, const struct tape_api *api, bool keep_text);

/* Ready for the next response, maybe of another dialect; keeps the memory. */
void tape_api_decoder_clear(
    struct tape_api_decoder *d, const struct tape_api *api);
void tape_api_decoder_release(struct tape_api_decoder *d);

/* Whether an answer should have had tokens; whether it may end without saying
   so.  By its dialect and by the pointers. */
bool tape_api_wants_tokens(const struct tape_api_decoder *d);
bool tape_api_may_just_end(const struct tape_api_decoder *d);

/*
 * One dispatched event of a stream: its type ("" or absent: none) and its data.
 * Never fails for what the data is: a violation of JSON or of the shape makes
 * an event of class o that is marked, counted, and adds nothing else.  Fails
 * with TAPE_E_NOMEM alone.
 */
enum tape_status tape_api_decode(struct tape_api_decoder *d,
    struct tape_str type, struct tape_str data, struct tape_api_event *ev,
    struct tape_err *err) TAPE_NODISCARD;

/* The same of a whole body that was not streamed. */
enum tape_status tape_api_decode_body(struct tape_api_decoder *d,
    struct tape_str body, struct tape_api_event *ev,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * A line of a stream with a field that SSE does not know.  The field "error"
 * says that the response failed, and makes an event of class e; others make one
 * of class o.
 */
enum tape_status tape_api_decode_field(struct tape_api_decoder *d,
    struct tape_str name, struct tape_str value, struct tape_api_event *ev,
    struct tape_err *err) TAPE_NODISCARD;

/* Why a choice finished (its last reason); absent when it did not say. */
struct tape_str tape_api_finish(
    const struct tape_api_decoder *d, int64_t choice);

/*
 * Append usage, and the server's own timings as an object with a member for
 * each thing of the kind that it sent (timings, time_info, ...); nothing when
 * there is none, or when it cannot stand in a record of ours.
 */
void tape_api_usage(const struct tape_api_decoder *d, struct tape_buf *out);
void tape_api_timing(const struct tape_api_decoder *d, struct tape_buf *out);

#define TAPE_API_SHA256_TEXT 65 /* room for 64 hex digits */

/* Digest of choice 0's content so far, in hex.  Returns dst. */
char *tape_api_text_sha256(
    const struct tape_api_decoder *d, char dst[TAPE_API_SHA256_TEXT]);

#endif
