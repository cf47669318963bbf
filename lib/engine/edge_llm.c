/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/edge_llm.h"

#include "api/api.h"

#include <inttypes.h>
#include <stdio.h>

#define VALUE_CAP ((size_t)1 << 20)
#define SHOWN     40
#define DIGITS    24

void
tape_edge_llm_init(struct tape_edge_llm *e)
{
	memset(e, 0, sizeof(*e));
	tape_vocab_set_init(&e->vocabs);
	tape_buf_init(&e->body, TAPE_CAP_LINE);
	tape_buf_init(&e->own, TAPE_CAP_LINE);
	tape_buf_init(&e->first, TAPE_CAP_LINE);
	tape_buf_init(&e->length, DIGITS);
	for (size_t i = 0; i < TAPE_EDGE_LLM_SHARED; i++)
		tape_buf_init(&e->shared[i], VALUE_CAP);
	tape_json_init(&e->json);
}

void
tape_edge_llm_release(struct tape_edge_llm *e)
{
	tape_vocab_set_release(&e->vocabs);
	tape_buf_release(&e->body);
	tape_buf_release(&e->own);
	tape_buf_release(&e->first);
	tape_buf_release(&e->length);
	for (size_t i = 0; i < TAPE_EDGE_LLM_SHARED; i++)
		tape_buf_release(&e->shared[i]);
	tape_json_release(&e->json);
}

static enum tape_status
cannot(const struct tape_request *r, const char *why, struct tape_str what,
    struct tape_err *err)
{
	return tape_err_set(err, TAPE_E_FORMAT,
	    "request %.*s: llm_inference cannot be given %s%s%.*s%s",
	    tape_str_shown(r->id, SHOWN), r->id.p, why,
	    what.p == NULL ? "" : " \"", tape_str_shown(what, SHOWN),
	    what.p == NULL ? "" : what.p, what.p == NULL ? "" : "\"");
}

/* What becomes of a member of params. */
enum fate { UNKNOWN, SHARED, OWN, IDLE, ONE };

static const struct {
	const char *name;
	enum fate fate;
} params[] = {
	{ "temperature", SHARED }, { "top_p", SHARED }, { "top_k", SHARED },
	{ "stop", OWN }, { "logit_bias", OWN }, { "stream", IDLE },
	{ "stream_options", IDLE }, { "model", IDLE }, { "user", IDLE },
	{ "n", ONE }, /* idle where it is 1 */
};

#define PARAMS (sizeof(params) / sizeof(*params))

_Static_assert(TAPE_EDGE_LLM_SHARED == 3, "the first in the table");

/* A value that must be the first request's, too. */
static enum tape_status
share(struct tape_edge_llm *e, const struct tape_request *r, const char *name,
    struct tape_buf *kept, struct tape_str value, struct tape_err *err)
{
	if (e->n == 0) {
		tape_buf_clear(kept);
		(void)tape_buf_add(kept, value.p, value.len);
		return tape_buf_status(kept, err);
	}
	if (kept->len == value.len &&
	    (value.len == 0 || memcmp(kept->data, value.p, value.len) == 0))
		return TAPE_OK;
	return tape_err_set(err, TAPE_E_FORMAT,
	    "request %.*s: %s is %.*s, %.*s in %.*s: llm_inference has one for "
	    "all requests",
	    tape_str_shown(r->id, SHOWN), r->id.p, name,
	    value.len == 0 ? SHOWN : tape_str_shown(value, SHOWN),
	    value.len == 0 ? "not given" : value.p, SHOWN,
	    kept->len == 0 ? "not given" : kept->data, SHOWN, e->first.data);
}

/* The member of params in hand. */
static enum tape_status
take_param(struct tape_edge_llm *e, const struct tape_request *r,
    const struct tape_json_token *tok, struct tape_str *shared,
    struct tape_err *err)
{
	struct tape_str raw;
	size_t i = 0;
	enum tape_status st;

	while (i < PARAMS && !tape_json_key_is(tok, params[i].name))
		i++;
	if (i == PARAMS)
		return cannot(r, "the parameter",
		    tape_str_make(tok->key, tok->key_len), err);
	st = tape_json_skip(&e->json, &raw.p, &raw.len, err);
	if (st != TAPE_OK)
		return st;
	if (params[i].fate == SHARED)
		shared[i] = raw;
	if (params[i].fate == ONE && !tape_str_is(raw, "1"))
		return cannot(
		    r, "the parameter", tape_str_of(params[i].name), err);
	if (params[i].fate != OWN)
		return TAPE_OK;
	(void)tape_buf_add_fmt(&e->own, ",\"%s\":", params[i].name);
	(void)tape_buf_add(&e->own, raw.p, raw.len);
	return tape_buf_status(&e->own, err);
}

static enum tape_status
take_params(struct tape_edge_llm *e, const struct tape_request *r,
    struct tape_str *shared, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	tape_buf_clear(&e->own);
	if (r->params.p == NULL)
		return TAPE_OK;
	tape_json_open(&e->json, r->params.p, r->params.len, TAPE_JSON_OURS);
	st = tape_json_expect(&e->json, TAPE_JSON_OBJECT, &tok, err);
	while (st == TAPE_OK) {
		st = tape_json_next(&e->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		st = take_param(e, r, &tok, shared, err);
	}
	return st;
}

static enum tape_status
share_all(struct tape_edge_llm *e, const struct tape_request *r,
    const struct tape_str *shared, struct tape_err *err)
{
	char length[DIGITS];
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < TAPE_EDGE_LLM_SHARED && st == TAPE_OK; i++)
		st = share(e, r, params[i].name, &e->shared[i], shared[i], err);
	if (st != TAPE_OK)
		return st;
	(void)snprintf(length, sizeof(length), "%" PRId64, r->output_tokens);
	return share(e, r, "output_tokens", &e->length,
	    tape_str_make(length,
		r->output_tokens == TAPE_ABSENT_I64 ? 0 : strlen(length)),
	    err);
}

/* Parts of a message: text only. */
static enum tape_status
check_parts(
    struct tape_edge_llm *e, const struct tape_request *r, struct tape_err *err)
{
	static const struct tape_str none;
	struct tape_json_token tok;
	enum tape_status st;

	for (;;) {
		st = tape_json_next(&e->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_ARRAY_END)
			return st;
		if (tok.type != TAPE_JSON_OBJECT)
			return cannot(r, "a part that is no object", none, err);
		while ((st = tape_json_next(&e->json, &tok, err)) == TAPE_OK &&
		       tok.type != TAPE_JSON_OBJECT_END)
			if (tok.type != TAPE_JSON_STRING ||
			    !(tape_json_key_is(&tok, "text") ||
				(tape_json_key_is(&tok, "type") &&
				    tape_json_str_is(&tok, "text"))))
				return cannot(
				    r, "a part that is no text", none, err);
		if (st != TAPE_OK)
			return st;
	}
}

/* A message, from behind its brace: a role and a content, no more. */
static enum tape_status
check_message(
    struct tape_edge_llm *e, const struct tape_request *r, struct tape_err *err)
{
	static const struct tape_str none;
	struct tape_json_token tok;
	unsigned seen = 0;
	enum tape_status st;

	for (;;) {
		st = tape_json_next(&e->json, &tok, err);
		if (st != TAPE_OK)
			return st;
		if (tok.type == TAPE_JSON_OBJECT_END)
			return seen == 3 ? TAPE_OK
					 : cannot(r,
					       "a message without role or "
					       "content",
					       none, err);
		if (tape_json_key_is(&tok, "role") &&
		    tok.type == TAPE_JSON_STRING) {
			seen |= 1;
		} else if (tape_json_key_is(&tok, "content") &&
			   tok.type == TAPE_JSON_STRING) {
			seen |= 2;
		} else if (tape_json_key_is(&tok, "content") &&
			   tok.type == TAPE_JSON_ARRAY) {
			seen |= 2;
			st = check_parts(e, r, err);
		} else {
			return cannot(r, "the member of a message",
			    tape_str_make(tok.key, tok.key_len), err);
		}
		if (st != TAPE_OK)
			return st;
	}
}

static enum tape_status
check_messages(struct tape_edge_llm *e, const struct tape_request *r,
    struct tape_str messages, struct tape_err *err)
{
	static const struct tape_str none;
	struct tape_json_token tok;
	enum tape_status st;

	tape_json_open(&e->json, messages.p, messages.len, TAPE_JSON_OURS);
	st = tape_json_expect(&e->json, TAPE_JSON_ARRAY, &tok, err);
	while (st == TAPE_OK) {
		st = tape_json_next(&e->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_ARRAY_END)
			break;
		st = tok.type == TAPE_JSON_OBJECT
			 ? check_message(e, r, err)
			 : cannot(r, "a message that is no object", none, err);
	}
	return st;
}

/* The messages that replay would send, out of the body in hand. */
static enum tape_status
find_messages(
    struct tape_edge_llm *e, struct tape_str *out, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	tape_json_open(&e->json, e->body.data, e->body.len, TAPE_JSON_FOREIGN);
	st = tape_json_expect(&e->json, TAPE_JSON_OBJECT, &tok, err);
	while (st == TAPE_OK) {
		st = tape_json_next(&e->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		if (tape_json_key_is(&tok, "messages"))
			return tape_json_skip(
			    &e->json, &out->p, &out->len, err);
		st = tape_json_skip(&e->json, NULL, NULL, err);
	}
	return st == TAPE_OK ? tape_err_set(err, TAPE_E_BUG,
				   "a body of chat has no messages")
			     : st;
}

static enum tape_status
render(struct tape_edge_llm *e, const struct tape_request *r,
    struct tape_str *messages, struct tape_err *err)
{
	static const struct tape_str none;
	const struct tape_api_ask ask = { .input = &r->input,
		.vocabs = &e->vocabs,
		.output_tokens = TAPE_ABSENT_I64 };
	struct tape_err why = { 0 };
	enum tape_status st;

	if (r->input.body.p != NULL)
		return cannot(r, "a whole body", none, err);
	if (r->input.tokens.v != NULL)
		return cannot(r, "token ids", none, err);
	tape_buf_clear(&e->body);
	st = tape_api_render(
	    tape_api_find(tape_str_of("chat")), &ask, &e->body, &why);
	if (st != TAPE_OK)
		return tape_err_set(err,
		    st == TAPE_E_USAGE ? TAPE_E_FORMAT : st, "request %.*s: %s",
		    tape_str_shown(r->id, SHOWN), r->id.p, why.text);
	st = find_messages(e, messages, err);
	return st == TAPE_OK ? check_messages(e, r, *messages, err) : st;
}

static void
add_head(const struct tape_edge_llm *e, struct tape_buf *out)
{
	(void)tape_buf_add_str(out, "{\"batch_size\":1");
	for (size_t i = 0; i < TAPE_EDGE_LLM_SHARED; i++)
		if (e->shared[i].len > 0)
			(void)tape_buf_add_fmt(out, ",\"%s\":%s",
			    params[i].name, e->shared[i].data);
	if (e->length.len > 0)
		(void)tape_buf_add_fmt(
		    out, ",\"max_generate_length\":%s", e->length.data);
	(void)tape_buf_add_str(out, ",\"requests\":[\n");
}

static enum tape_status
put_request(struct tape_edge_llm *e, const struct tape_request *r,
    struct tape_buf *out, struct tape_err *err)
{
	struct tape_str shared[TAPE_EDGE_LLM_SHARED] = { { NULL, 0 } };
	struct tape_str messages = { NULL, 0 };
	enum tape_status st = take_params(e, r, shared, err);

	if (st == TAPE_OK)
		st = share_all(e, r, shared, err);
	if (st == TAPE_OK)
		st = render(e, r, &messages, err);
	if (st != TAPE_OK)
		return st;
	if (e->n++ == 0) {
		(void)tape_buf_add(&e->first, r->id.p, r->id.len);
		add_head(e, out);
	} else {
		(void)tape_buf_add_str(out, ",\n");
	}
	(void)tape_buf_add_str(out, "{\"messages\":");
	(void)tape_buf_add(out, messages.p, messages.len);
	if (e->own.len > 0)
		(void)tape_buf_add(out, e->own.data, e->own.len);
	(void)tape_buf_add_char(out, '}');
	return tape_buf_status(out, err);
}

enum tape_status
tape_edge_llm_put(struct tape_edge_llm *e, const struct tape_record *rec,
    struct tape_buf *out, struct tape_err *err)
{
	const struct tape_vocab *v = &rec->u.vocab;

	if (rec->kind == TAPE_KIND_VOCAB)
		return tape_vocab_set_add(
		    &e->vocabs, v->name, v->words, v->first, err);
	if (rec->kind == TAPE_KIND_REQUEST)
		return put_request(e, &rec->u.request, out, err);
	return TAPE_OK;
}

static enum tape_status
flush(struct tape_out *to, struct tape_buf *buf, struct tape_err *err)
{
	enum tape_status st = tape_out_write(to, buf->data, buf->len, err);

	tape_buf_clear(buf);
	return st;
}

static enum tape_status
put_all(struct tape_edge_llm *e, struct tape_reader *in, struct tape_out *to,
    struct tape_buf *buf, struct tape_err *err)
{
	struct tape_record rec;
	enum tape_status st;

	tape_record_init(&rec);
	while ((st = tape_reader_next(in, &rec, err)) == TAPE_OK) {
		st = tape_edge_llm_put(e, &rec, buf, err);
		if (st != TAPE_OK)
			(void)tape_err_at(
			    err, tape_reader_name(in), tape_reader_line(in));
		else if (buf->len > 0)
			st = flush(to, buf, err);
		if (st != TAPE_OK)
			break;
	}
	tape_record_release(&rec);
	return st == TAPE_EOF ? TAPE_OK : st;
}

enum tape_status
tape_edge_llm_write(
    struct tape_reader *in, struct tape_out *to, struct tape_err *err)
{
	struct tape_edge_llm e;
	struct tape_buf buf;
	enum tape_status st;

	tape_edge_llm_init(&e);
	tape_buf_init(&buf, TAPE_CAP_LINE);
	st = put_all(&e, in, to, &buf, err);
	if (st == TAPE_OK && e.n == 0)
		st =
		    tape_err_set(err, TAPE_E_FORMAT, "no request in the trace");
	(void)tape_buf_add_str(&buf, "\n]}\n");
	if (st == TAPE_OK)
		st = flush(to, &buf, err);
	tape_buf_release(&buf);
	tape_edge_llm_release(&e);
	return st;
}
