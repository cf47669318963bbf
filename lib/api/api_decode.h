/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_decode: what the files of the dialects decode with.
 *
 * An event is first collected here and counts only when it was understood to
 * its end: a dialect calls the functions below while it reads and returns; then
 * tape_api_decode adds the collected event to the decoder's totals, or drops it
 * as malformed.
 */
#ifndef TAPE_API_API_DECODE_H
#define TAPE_API_API_DECODE_H

#include "api/api.h"
#include "api/api_fields.h"
#include "base/sha256.h"

/* What one event says of one choice. */
struct tape_api_choice {
	int64_t index;
	size_t content_at; /* its content, in tape_api_state.content */
	size_t content_len;
	bool has_text; /* of any kind */
	char finish[TAPE_API_MAX_FINISH];
	size_t finish_len;
};

/* Objects that are made of an event's members. */
enum tape_api_made { TAPE_API_MADE_USAGE, TAPE_API_MADE_TIMING, TAPE_API_MADE };

/* What the texts of a choice are: all of it so far, or what is new. */
enum tape_api_growth {
	TAPE_API_GROWTH_UNKNOWN,
	TAPE_API_GROWTH_WHOLE,
	TAPE_API_GROWTH_PIECES
};

struct tape_api_grown; /* api_grown.c */

#define TAPE_API_TIMINGS   7    /* kinds of server timing, see api_read.c */
#define TAPE_API_USAGES    4    /* usage objects of one event */
#define TAPE_API_IDS       64   /* ids of tool calls of one event */
#define TAPE_API_TOOL_IDS  4096 /* told apart, of one response */
#define TAPE_API_MAX_ERROR ((size_t)512) /* bytes of an error's message */

struct tape_api_state {
	struct tape_json json; /* for the dialect's file */
	/* The bytes around the text of an event that had nothing else. */
	struct tape_api_template {
		bool good;
		struct tape_buf text; /* head, then tail */
		size_t head, tail;    /* their lengths */
		enum tape_api_kind kind;
		int64_t choice;
	} template;

	/* The event in hand. */
	bool malformed;
	bool done;
	bool failed;
	struct tape_api_choice *choices;
	size_t choices_n;
	size_t choices_cap;
	int64_t bytes[TAPE_API_KINDS];
	int64_t first_choice[TAPE_API_KINDS];
	size_t show_at[TAPE_API_KINDS]; /* first piece of each, in show */
	size_t show_len[TAPE_API_KINDS];
	size_t pieces;         /* of text */
	struct tape_str piece; /* the last one, as it was given */
	enum tape_api_kind piece_kind;
	struct tape_buf content;
	struct tape_buf show;
	struct tape_api_usage {
		struct tape_str text; /* in the data */
		uint64_t shape;       /* a digest of its keys, 0 when one of
		                         its members is null */
	} usages[TAPE_API_USAGES];
	size_t usages_n;
	struct tape_api_tokens tokens; /* of the usages, as they have them */
	bool counted;                  /* some count is set */
	bool timed;                    /* one of the timings is */
	struct tape_str timing[TAPE_API_TIMINGS];
	uint64_t ids[TAPE_API_IDS]; /* of tool calls: digests */
	size_t ids_n;
	struct tape_buf error;
	int64_t server_ns;
	int64_t server_late_ns;

	/* The response. */
	struct tape_sha256 sha;
	struct tape_buf timings[TAPE_API_TIMINGS];
	size_t created_len; /* of the first created_at, as JSON */
	struct tape_api_tokens all_tokens; /* merged, as they were sent */
	uint64_t merged_shape; /* of the decoder's usage, 0 unknown */
	struct tape_api_finish {
		char text[TAPE_API_MAX_FINISH];
		size_t len;
	} * finish; /* of each choice */
	size_t finish_n;
	size_t finish_cap;
	uint64_t *tool_ids;
	size_t tool_ids_n;
	size_t tool_ids_cap;
	struct tape_api_fields old_usage; /* for merging */
	struct tape_api_fields new_usage;
	struct tape_buf merged;
	struct tape_buf inner; /* an event within the event, decoded */
	struct tape_buf made[TAPE_API_MADE]; /* api_made.h, of the event */
	struct tape_api_grown *grown;        /* api_grown.h, of each choice */
	size_t grown_n;
	size_t grown_cap;
	enum tape_api_growth growth;
};

/* Begins a choice, of index 0 until it is told otherwise; the functions below
   speak of the choice begun last. */
struct tape_api_choice *tape_api_choice_begin(
    struct tape_api_state *s, struct tape_err *err);

/* Text of the choice.  NULL or empty text is none. */
void tape_api_add_text(struct tape_api_state *s, enum tape_api_kind kind,
    const char *p, size_t len);

void tape_api_add_finish(struct tape_api_state *s, const char *p, size_t len);

/* The id of a tool call, for counting. */
void tape_api_add_tool_id(struct tape_api_state *s, const char *p, size_t len);

/* The response failed, with this message; of several the last one. */
void tape_api_add_error(struct tape_api_state *s, const char *p, size_t len);

/*
 * Readers of a member whose token next returned last, of any type; they take
 * the value to its end.
 *
 * usage: counts under the names that servers use; null is none.
 * error: a text, or an object with message; null, false and "" are none.
 * stamp: {"t":"seconds","late_ns":N} of trace-serve.
 * timing: an object that is kept as sent, or the time of an event, a text; which
 * comes from timing_find.
 */
enum tape_status tape_api_read_usage(struct tape_api_state *s,
    const struct tape_json_token *usage, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_api_read_error(struct tape_api_state *s,
    const struct tape_json_token *tok, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_api_read_stamp(struct tape_api_state *s,
    const struct tape_json_token *stamp, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_api_read_timing(struct tape_api_state *s, int which,
    const struct tape_json_token *tok, struct tape_err *err) TAPE_NODISCARD;

/*
 * Counts.  take_count sets the one that the token's key stands for, and is
 * false when there is none; read_count does that with a member of a usage
 * object, what it has inside included, and takes the value to its end.  resolve
 * makes the counts that servers split up.
 */
bool tape_api_take_count(
    struct tape_api_state *s, const struct tape_json_token *tok);
enum tape_status tape_api_read_count(struct tape_api_state *s,
    const struct tape_json_token *tok, struct tape_err *err) TAPE_NODISCARD;
void tape_api_tokens_clear(struct tape_api_tokens *t);
void tape_api_tokens_merge(
    struct tape_api_tokens *old, const struct tape_api_tokens *new);
struct tape_api_tokens tape_api_tokens_resolve(
    const struct tape_api_tokens *raw);

/* Place of the key's timing, or -1 when it is none; and back. */
int tape_api_timing_find(const struct tape_json_token *tok);
const char *tape_api_timing_name(int which);

/* An error that stands alone: JSON as above, or any text. */
enum tape_status tape_api_read_error_text(struct tape_api_state *s,
    struct tape_str text, struct tape_err *err) TAPE_NODISCARD;

/*
 * The short way for an event like one that was read before, data being whole:
 * learn after reading one, apply instead of reading one.
 */
void tape_api_template_learn(struct tape_api_state *s, struct tape_str data);
enum tape_status tape_api_template_apply(struct tape_api_state *s,
    struct tape_str data, bool *applied, struct tape_err *err) TAPE_NODISCARD;

/* Adds the timings of the event to the response's: of times of events with
   tokens the first and the last are kept. */
enum tape_status tape_api_add_timings(
    struct tape_api_state *s, struct tape_err *err) TAPE_NODISCARD;

/* Begins an event; fills ev from the one collected; adds it to the totals. */
void tape_api_event_begin(struct tape_api_state *s);
void tape_api_event_describe(
    const struct tape_api_state *s, struct tape_api_event *ev);
enum tape_status tape_api_event_commit(
    struct tape_api_decoder *d, struct tape_err *err) TAPE_NODISCARD;

/* Adds the counts of the event to the decoder's; merge_usage its usages, too. */
void tape_api_merge_tokens(struct tape_api_decoder *d);
enum tape_status tape_api_merge_usage(
    struct tape_api_decoder *d, struct tape_err *err) TAPE_NODISCARD;

#endif
