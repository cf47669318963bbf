/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members that many dialects have: errors, server timings, the stamp. */
#include "api/api_decode.h"

#include "base/clock.h"

#define GROQ    2
#define CREATED 6

#define CREATED_MAX 48 /* bytes of JSON: a time has some 30 */

/* Order of tape_api_state.timing. */
static const char *const timings[TAPE_API_TIMINGS] = { "timings",
	"time_info", [GROQ] = "x_groq", "latency_checkpoint",
	/* Made of what Ollama and SGLang send, see api_made.h. */
	"durations", "meta_info",
	/* When the server made the event (watsonx, Ollama). */
	[CREATED] = "created_at" };

int
tape_api_timing_find(const struct tape_json_token *tok)
{
	for (int i = 0; i < TAPE_API_TIMINGS; i++)
		if (tape_json_key_is(tok, timings[i]))
			return i;
	return -1;
}

const char *
tape_api_timing_name(int which)
{
	return timings[which];
}

/* Has times only where it has a usage, which may be the only one. */
static enum tape_status
read_groq(struct tape_api_state *s, const char *begin, struct tape_err *err)
{
	const size_t before = s->usages_n;
	struct tape_json_token tok;
	enum tape_status st;

	for (;;) {
		st = tape_json_next(&s->json, &tok, err);
		if (st != TAPE_OK)
			return st;
		if (tok.type == TAPE_JSON_OBJECT_END)
			break;
		st = tape_json_key_is(&tok, "usage")
			 ? tape_api_read_usage(s, &tok, err)
			 : tape_json_skip(&s->json, NULL, NULL, err);
		if (st != TAPE_OK)
			return st;
	}
	if (s->usages_n > before)
		s->timing[GROQ] =
		    tape_str_make(begin, (size_t)(tok.raw + 1 - begin));
	return TAPE_OK;
}

enum tape_status
tape_api_read_timing(struct tape_api_state *s, int which,
    const struct tape_json_token *tok, struct tape_err *err)
{
	struct tape_str raw;
	enum tape_status st;

	if (which == GROQ && tok->type == TAPE_JSON_OBJECT)
		return read_groq(s, tok->raw, err);
	st = tape_json_skip(&s->json, &raw.p, &raw.len, err);
	if (st == TAPE_OK && (which == CREATED ? tok->type == TAPE_JSON_STRING
					       : tok->type == TAPE_JSON_OBJECT))
		s->timing[which] = raw;
	return st;
}

/* {"first":TIME,"last":TIME} */
static void
add_created(struct tape_api_state *s)
{
	static const char first[] = "{\"first\":";
	const struct tape_str time = s->timing[CREATED];
	struct tape_buf *out = &s->timings[CREATED];

	if (time.len > CREATED_MAX)
		return;
	if (out->len == 0) {
		(void)tape_buf_add(out, first, sizeof(first) - 1);
		(void)tape_buf_add(out, time.p, time.len);
		s->created_len = time.len;
	} else {
		out->len = sizeof(first) - 1 + s->created_len;
	}
	(void)tape_buf_add_fmt(out, ",\"last\":%.*s}", (int)time.len, time.p);
}

enum tape_status
tape_api_add_timings(struct tape_api_state *s, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < TAPE_API_TIMINGS; i++) {
		if (s->timing[i].p == NULL || (i == CREATED && s->pieces == 0))
			continue;
		if (i == CREATED) {
			add_created(s);
		} else {
			tape_buf_clear(&s->timings[i]);
			(void)tape_buf_add(
			    &s->timings[i], s->timing[i].p, s->timing[i].len);
		}
		st = st == TAPE_OK ? tape_buf_status(&s->timings[i], err) : st;
	}
	return st;
}

/* Times of a stamp that the digits cannot be are left unknown. */
static void
read_mono(struct tape_api_state *s, const struct tape_json_token *tok)
{
	char text[TAPE_CLOCK_MONO];
	struct tape_err why = { 0 };

	if (tok->type != TAPE_JSON_STRING || tok->len >= sizeof(text))
		return;
	memcpy(text, tok->str, tok->len);
	text[tok->len] = '\0';
	if (tape_clock_parse_mono(text, &s->server_ns, &why) != TAPE_OK)
		s->server_ns = TAPE_ABSENT_I64;
}

enum tape_status
tape_api_read_stamp(struct tape_api_state *s,
    const struct tape_json_token *stamp, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	if (stamp->type != TAPE_JSON_OBJECT)
		return tape_json_skip(&s->json, NULL, NULL, err);
	for (;;) {
		st = tape_json_next(&s->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			return st;
		if (tape_json_key_is(&tok, "t"))
			read_mono(s, &tok);
		else if (tape_json_key_is(&tok, "late_ns") &&
			 tok.type == TAPE_JSON_INT && tok.i64 >= 0 &&
			 tok.i64 < INT64_C(1) << 53)
			s->server_late_ns = tok.i64;
		st = tape_json_skip(&s->json, NULL, NULL, err);
		if (st != TAPE_OK)
			return st;
	}
}

/* {"message":...,...}: the message, or else all of it. */
static enum tape_status
read_error_object(
    struct tape_api_state *s, const char *begin, struct tape_err *err)
{
	struct tape_json_token tok;
	bool has_message = false;
	enum tape_status st;

	for (;;) {
		st = tape_json_next(&s->json, &tok, err);
		if (st != TAPE_OK)
			return st;
		if (tok.type == TAPE_JSON_OBJECT_END)
			break;
		if (tape_json_key_is(&tok, "message") &&
		    tok.type == TAPE_JSON_STRING) {
			tape_api_add_error(s, tok.str, tok.len);
			has_message = true;
		}
		st = tape_json_skip(&s->json, NULL, NULL, err);
		if (st != TAPE_OK)
			return st;
	}
	if (!has_message)
		tape_api_add_error(s, begin, (size_t)(tok.raw + 1 - begin));
	return TAPE_OK;
}

enum tape_status
tape_api_read_error(struct tape_api_state *s, const struct tape_json_token *tok,
    struct tape_err *err)
{
	struct tape_str raw;
	enum tape_status st;

	if (tok->type == TAPE_JSON_OBJECT)
		return read_error_object(s, tok->raw, err);
	if (tok->type == TAPE_JSON_STRING && tok->len > 0)
		tape_api_add_error(s, tok->str, tok->len);
	st = tape_json_skip(&s->json, &raw.p, &raw.len, err);
	if (st == TAPE_OK && tok->type != TAPE_JSON_STRING &&
	    tok->type != TAPE_JSON_NULL && tok->type != TAPE_JSON_FALSE)
		tape_api_add_error(s, raw.p, raw.len);
	return st;
}

enum tape_status
tape_api_read_error_text(
    struct tape_api_state *s, struct tape_str text, struct tape_err *err)
{
	struct tape_err why = { 0 };
	struct tape_json_token tok;
	enum tape_status st;

	tape_json_open(&s->json, text.p, text.len, TAPE_JSON_FOREIGN);
	st = tape_json_next(&s->json, &tok, &why);
	if (st == TAPE_OK && tok.type != TAPE_JSON_END)
		st = tape_api_read_error(s, &tok, &why);
	if (st == TAPE_OK)
		st = tape_json_end(&s->json, &why);
	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	if (st != TAPE_OK || !s->failed)
		tape_api_add_error(s, text.p, text.len);
	return TAPE_OK;
}
