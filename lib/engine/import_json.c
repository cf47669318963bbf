/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/import_json.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>

#define ID_MAX (INT64_C(1) << 53)

void
tape_import_json_init(struct tape_import_json *j)
{
	memset(j, 0, sizeof(*j));
	tape_json_init(&j->json);
}

void
tape_import_json_release(struct tape_import_json *j)
{
	tape_json_release(&j->json);
	tape_arena_release(&j->arena);
}

static enum tape_status
wrong(const struct tape_json_token *tok, const char *want, struct tape_err *err)
{
	return tape_err_set(err, TAPE_E_FORMAT, "\"%.*s\" is not %s",
	    (int)tok->key_len, tok->key, want);
}

static enum tape_status
read_ms(const struct tape_json_token *tok, int64_t *ns, struct tape_err *err)
{
	const double most = (double)(INT64_MAX / 2);

	if (tok->type == TAPE_JSON_INT && tok->i64 >= 0 &&
	    tok->i64 <= INT64_MAX / 2 / TAPE_NS_PER_MS) {
		*ns = tok->i64 * TAPE_NS_PER_MS;
		return TAPE_OK;
	}
	if (tok->type == TAPE_JSON_DOUBLE && tok->num >= 0 &&
	    tok->num * (double)TAPE_NS_PER_MS < most) {
		*ns = llround(tok->num * (double)TAPE_NS_PER_MS);
		return TAPE_OK;
	}
	return wrong(tok, "a time in milliseconds", err);
}

static enum tape_status
read_tokens(
    const struct tape_json_token *tok, int64_t *tokens, struct tape_err *err)
{
	if (tok->type != TAPE_JSON_INT || tok->i64 < 0 || tok->i64 > INT32_MAX)
		return wrong(tok, "a number of tokens", err);
	*tokens = tok->i64;
	return TAPE_OK;
}

static enum tape_status
keep(struct tape_import_json *j, const char *p, size_t len,
    struct tape_str *out, struct tape_err *err)
{
	out->p = tape_arena_dup(&j->arena, p, len);
	out->len = len;
	return out->p == NULL ? tape_err_nomem(err) : TAPE_OK;
}

static enum tape_status
read_text(struct tape_import_json *j, const struct tape_json_token *tok,
    struct tape_str *out, struct tape_err *err)
{
	if (tok->type != TAPE_JSON_STRING)
		return wrong(tok, "a string", err);
	return keep(j, tok->str, tok->len, out, err);
}

/* Sessions are named by strings or by numbers. */
static enum tape_status
read_name(struct tape_import_json *j, const struct tape_json_token *tok,
    struct tape_str *out, struct tape_err *err)
{
	char text[24];

	if (tok->type == TAPE_JSON_INT) {
		(void)snprintf(text, sizeof(text), "%" PRId64, tok->i64);
		return keep(j, text, strlen(text), out, err);
	}
	return read_text(j, tok, out, err);
}

static enum tape_status
bad_id(struct tape_err *err)
{
	return tape_err_set(
	    err, TAPE_E_FORMAT, "a block id is not an integer of 0 to 2^53");
}

static enum tape_status
read_ids(struct tape_import_json *j, const struct tape_json_token *key,
    struct tape_i64s *out, struct tape_err *err)
{
	struct tape_json_token tok;
	size_t all, n;
	int64_t *v;
	enum tape_status st;

	if (key->type != TAPE_JSON_ARRAY)
		return wrong(key, "an array of block ids", err);
	all = tape_json_count(&j->json);
	v = tape_arena_alloc(&j->arena, all > 0 ? all : 1, sizeof(*v));
	if (v == NULL)
		return tape_err_nomem(err);
	n = tape_json_take_i64s(&j->json, v, all);
	for (;;) {
		st = tape_json_next(&j->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_ARRAY_END)
			break;
		if (tok.type != TAPE_JSON_INT || n == all)
			return bad_id(err);
		v[n++] = tok.i64;
	}
	for (size_t i = 0; i < n && st == TAPE_OK; i++)
		if (v[i] < 0 || v[i] > ID_MAX)
			st = bad_id(err);
	out->v = v;
	out->n = n;
	return st;
}

static enum tape_status
read_messages(struct tape_import_json *j, const struct tape_json_token *tok,
    struct tape_str *out, struct tape_err *err)
{
	if (tok->type != TAPE_JSON_ARRAY)
		return wrong(tok, "an array of messages", err);
	return tape_json_skip(&j->json, &out->p, &out->len, err);
}

static enum tape_status
read_member(struct tape_import_json *j, const struct tape_json_token *tok,
    struct tape_import_row *row, struct tape_err *err)
{
	if (tape_json_key_is(tok, "timestamp"))
		return read_ms(tok, &row->t_ns, err);
	if (tape_json_key_is(tok, "delay"))
		return read_ms(tok, &row->delay_ns, err);
	if (tape_json_key_is(tok, "input_length"))
		return read_tokens(tok, &row->input_tokens, err);
	if (tape_json_key_is(tok, "output_length") ||
	    tape_json_key_is(tok, "output_tokens") ||
	    tape_json_key_is(tok, "max_tokens"))
		return read_tokens(tok, &row->output_tokens, err);
	if (tape_json_key_is(tok, "hash_ids"))
		return read_ids(j, tok, &row->ids, err);
	if (tape_json_key_is(tok, "text_input") ||
	    tape_json_key_is(tok, "text") || tape_json_key_is(tok, "prompt"))
		return read_text(j, tok, &row->text, err);
	if (tape_json_key_is(tok, "messages"))
		return read_messages(j, tok, &row->messages, err);
	if (tape_json_key_is(tok, "session_id"))
		return read_name(j, tok, &row->session, err);
	return tape_json_skip(&j->json, NULL, NULL, err);
}

static enum tape_status
read_row(struct tape_import_json *j, struct tape_import_row *row,
    struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	st = tape_json_expect(&j->json, TAPE_JSON_OBJECT, &tok, err);
	while (st == TAPE_OK) {
		st = tape_json_next(&j->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		if (tok.type == TAPE_JSON_NULL)
			continue;
		st = read_member(j, &tok, row, err);
	}
	return st == TAPE_OK ? tape_json_end(&j->json, err) : st;
}

enum tape_status
tape_import_json_row(struct tape_import_json *j, struct tape_in *in,
    struct tape_import_row *row, struct tape_err *err)
{
	const char *line;
	size_t len;
	enum tape_status st;

	tape_arena_reset(&j->arena);
	memset(row, 0, sizeof(*row));
	row->t_ns = row->delay_ns = TAPE_ABSENT_I64;
	row->input_tokens = row->output_tokens = TAPE_ABSENT_I64;
	st = tape_import_row(in, &line, &len, err);
	if (st != TAPE_OK)
		return st;
	tape_json_open(&j->json, line, len, TAPE_JSON_OURS);
	return read_row(j, row, err);
}

enum tape_status
tape_import_json_put(const struct tape_import_row *row, struct tape_gen *g,
    struct tape_import_state *state, struct tape_request *r,
    struct tape_err *err)
{
	char id[TAPE_TURNS_ID];
	enum tape_status st;

	(void)snprintf(id, sizeof(id), "%" PRIu64, g->sums.requests + 1);
	r->id = tape_str_of(id);
	r->output_tokens = row->output_tokens;
	r->t_ns = row->t_ns;
	r->session = row->session;
	if (r->session.p == NULL && row->delay_ns != TAPE_ABSENT_I64 &&
	    row->delay_ns != 0)
		return tape_err_set(
		    err, TAPE_E_FORMAT, "a delay, but no \"session_id\"");
	st = tape_turns_set(&state->turns, r, err);
	if (r->after.n > 0)
		r->delay_ns = row->delay_ns;
	return st == TAPE_OK ? tape_gen_put(g, r, err) : st;
}
