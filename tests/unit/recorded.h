/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * recorded: one recorded answer, read and decoded in any cutting, as a row of
 * the answer key that came with the recordings.
 */
#ifndef TAPE_UNIT_RECORDED_H
#define TAPE_UNIT_RECORDED_H

#include "api/api.h"
#include "base/sha256.h"
#include "codec/framing.h"

#include <stdio.h>

#define NAMES_MAX  32 /* of events, told apart */
#define COLUMN_MAX 512

/* Columns of the key. */
enum column {
	FILE_NAME,
	BYTES,
	SHA256,
	EOL,
	KIND,
	EVENTS,
	DATA_LINES,
	COMMENTS,
	ID_LINES,
	EVENT_NAMES,
	DONE,
	TAIL_BYTES,
	UNKNOWN_FIELDS,
	JSON_BAD,
	STREAM_ERROR,
	TEXT_EVENTS,
	FIRST_TEXT_EVENT,
	TEXT_BYTES,
	TEXT_SHA256,
	CHOICES,
	REASONING_EVENTS,
	REASONING_BYTES,
	TOOL_CALLS,
	FINISH,
	USAGE_EVENTS,
	USAGE_IN,
	USAGE_OUT,
	COLUMNS
};

struct recorded {
	struct tape_framer framer;
	struct tape_api_decoder d;
	bool indexed; /* finish reasons are shown with their choice */
	enum tape_status st;
	struct tape_err err;

	int64_t events, text_events, first_text, reasoning_events;
	int64_t reasoning_bytes, usage_events, errors, field_errors, dones;
	int names;
	char name[NAMES_MAX][64], unknown[64];
	struct tape_buf finish;
	char col[COLUMNS][COLUMN_MAX]; /* the row */
	struct tape_buf log;           /* each event with its offset */
};

static void
recorded_name(struct recorded *r, const struct tape_sse_event *ev)
{
	for (int i = 0; i < r->names; i++)
		if (tape_str_is(
			tape_str_make(ev->type, ev->type_len), r->name[i]))
			return;
	if (ev->type_len > 0 && r->names < NAMES_MAX)
		(void)snprintf(r->name[r->names++], sizeof(r->name[0]), "%.*s",
		    (int)ev->type_len, ev->type);
}

static void
recorded_count(struct recorded *r, const struct tape_api_event *got)
{
	if (got->bytes[TAPE_API_CONTENT] > 0 && r->text_events++ == 0)
		r->first_text = r->events;
	r->reasoning_events += got->bytes[TAPE_API_REASONING] > 0;
	r->reasoning_bytes += got->bytes[TAPE_API_REASONING];
	r->usage_events += got->has_usage;
	r->errors += got->error.p != NULL;
	if (got->finish.p == NULL)
		return;
	if (r->finish.len > 0)
		(void)tape_buf_add_char(&r->finish, '|');
	if (r->indexed)
		(void)tape_buf_add_fmt(
		    &r->finish, "%lld:", (long long)got->choice);
	(void)tape_buf_add(&r->finish, got->finish.p, got->finish.len);
}

static enum tape_status
recorded_event(
    void *user, const struct tape_sse_event *ev, struct tape_err *err)
{
	struct recorded *r = user;
	const struct tape_str data = tape_str_make(ev->data, ev->len);
	struct tape_api_event got;
	enum tape_status st = tape_api_decode(
	    &r->d, tape_str_make(ev->type, ev->type_len), data, &got, err);

	if (st != TAPE_OK)
		return st;
	recorded_name(r, ev);
	recorded_count(r, &got);
	r->dones += tape_str_is(data, "[DONE]");
	r->events++;
	(void)tape_buf_add_fmt(&r->log, "%c %lld %llu\n", got.class,
	    (long long)got.text_bytes, (unsigned long long)ev->end_offset);
	return TAPE_OK;
}

static enum tape_status
recorded_field(void *user, const struct tape_sse_field *f, struct tape_err *err)
{
	struct recorded *r = user;
	struct tape_api_event got;
	enum tape_status st =
	    tape_api_decode_field(&r->d, tape_str_make(f->name, f->name_len),
		tape_str_make(f->value, f->value_len), &got, err);

	if (r->unknown[0] == '\0')
		(void)snprintf(r->unknown, sizeof(r->unknown), "%.*s",
		    (int)f->name_len, f->name);
	r->field_errors += got.class == 'e';
	(void)tape_buf_add_fmt(&r->log, "field %c %llu\n", got.class,
	    (unsigned long long)f->end_offset);
	return st;
}

static void
recorded_init(struct recorded *r, const struct tape_api *api)
{
	static const struct tape_sse_calls calls = { recorded_event, NULL,
		recorded_field };

	memset(r, 0, sizeof(*r));
	tape_framer_init(&r->framer, &calls, r);
	tape_api_decoder_init(&r->d, api, true);
	tape_buf_init(&r->finish, TAPE_CAP_LINE);
	tape_buf_init(&r->log, TAPE_CAP_LINE);
}

static void
recorded_release(struct recorded *r)
{
	tape_framer_release(&r->framer);
	tape_api_decoder_release(&r->d);
	tape_buf_release(&r->finish);
	tape_buf_release(&r->log);
}

/* Begins an answer, which is fed next. */
static void
recorded_begin(struct recorded *r, const struct tape_api *api, char first)
{
	tape_framer_clear(&r->framer, tape_framing_guess(api->framing, first));
	tape_api_decoder_clear(&r->d, api);
	r->indexed = strcmp(api->name, "chat") == 0 ||
		     strcmp(api->name, "completions") == 0;
	r->st = TAPE_OK;
	tape_err_clear(&r->err);
	r->events = r->text_events = r->reasoning_events = 0;
	r->reasoning_bytes = r->usage_events = r->errors = 0;
	r->field_errors = r->dones = 0;
	r->first_text = -1;
	r->names = 0;
	r->unknown[0] = '\0';
	tape_buf_clear(&r->finish);
	tape_buf_clear(&r->log);
}

static void
recorded_feed(struct recorded *r, const char *p, size_t len)
{
	if (r->st == TAPE_OK)
		r->st = tape_framer_feed(&r->framer, p, len, &r->err);
}

__attribute__((format(printf, 3, 4))) static void
recorded_put(struct recorded *r, enum column c, const char *fmt, ...)
{
	__builtin_va_list ap;

	__builtin_va_start(ap, fmt);
	(void)vsnprintf(r->col[c], COLUMN_MAX, fmt, ap);
	__builtin_va_end(ap);
}

static void
recorded_put_i64(struct recorded *r, enum column c, int64_t v)
{
	if (v == TAPE_ABSENT_I64)
		recorded_put(r, c, "-");
	else
		recorded_put(r, c, "%lld", (long long)v);
}

/* The columns that are the framing's. */
static void
recorded_put_framing(struct recorded *r)
{
	const struct tape_sse_counts *n = tape_framer_counts(&r->framer);

	recorded_put_i64(r, EVENTS, (int64_t)n->events);
	recorded_put_i64(r, DATA_LINES, (int64_t)n->data_lines);
	recorded_put_i64(r, COMMENTS, (int64_t)n->comments);
	recorded_put_i64(r, ID_LINES, (int64_t)n->id_lines);
	recorded_put_i64(r, EVENT_NAMES, r->names);
	recorded_put_i64(r, DONE, r->dones);
	recorded_put_i64(r, TAIL_BYTES, (int64_t)tape_framer_tail(&r->framer));
	if (n->unknown_fields == 0)
		recorded_put(r, UNKNOWN_FIELDS, "-");
	else
		recorded_put(r, UNKNOWN_FIELDS, "%sx%llu", r->unknown,
		    (unsigned long long)n->unknown_fields);
}

/*
 * The columns that are the decoder's.  The key has one choice at least, where a
 * decoder sees none.
 */
static void
recorded_put_decoder(struct recorded *r)
{
	char sha[TAPE_API_SHA256_TEXT];

	recorded_put_i64(r, JSON_BAD, r->d.malformed);
	recorded_put_i64(r, STREAM_ERROR, r->errors);
	recorded_put_i64(r, TEXT_EVENTS, r->text_events);
	recorded_put_i64(r, FIRST_TEXT_EVENT, r->first_text);
	recorded_put_i64(r, TEXT_BYTES, (int64_t)r->d.text.len);
	(void)tape_api_text_sha256(&r->d, sha);
	recorded_put(r, TEXT_SHA256, "%.16s", r->d.has_text ? sha : "-");
	recorded_put_i64(r, CHOICES, r->d.choices > 0 ? r->d.choices : 1);
	recorded_put_i64(r, REASONING_EVENTS, r->reasoning_events);
	recorded_put_i64(r, REASONING_BYTES, r->reasoning_bytes);
	recorded_put_i64(r, TOOL_CALLS, r->d.tool_calls);
	recorded_put(r, FINISH, "%s", r->finish.len > 0 ? r->finish.data : "-");
	recorded_put_i64(r, USAGE_EVENTS, r->usage_events);
	recorded_put_i64(r, USAGE_IN, r->d.tokens.input);
	recorded_put_i64(r, USAGE_OUT, r->d.tokens.output);
}

/* Ends the answer and makes the row but for the columns of the file. */
static void
recorded_end(struct recorded *r)
{
	if (r->st == TAPE_OK)
		r->st = tape_framer_end(&r->framer, &r->err);
	recorded_put_framing(r);
	recorded_put_decoder(r);
}

/* The columns of the file. */
__attribute__((unused)) static void
recorded_put_file(struct recorded *r, const char *text, size_t len)
{
	size_t lf = 0, cr = 0, crlf = 0;
	struct tape_sha256 h;
	char digest[TAPE_SHA256_TEXT];

	for (size_t i = 0; i < len; i++) {
		crlf += text[i] == '\n' && i > 0 && text[i - 1] == '\r';
		lf += text[i] == '\n';
		cr += text[i] == '\r';
	}
	recorded_put(r, EOL, "%s",
	    lf == 0                    ? "none"
	    : crlf == 0 && cr == 0     ? "LF"
	    : crlf == lf && crlf == cr ? "CRLF"
				       : "mixed");
	recorded_put_i64(r, BYTES, (int64_t)len);
	tape_sha256_init(&h);
	tape_sha256_add(&h, text, len);
	(void)tape_sha256_finish_text(&h, digest);
	recorded_put(r, SHA256, "%.16s", digest);
}

#endif
