/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/import_json.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>

#define IDS_MAX ((size_t)1 << 22)

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
read_ids(struct tape_import_json *j, const struct tape_json_token *key,
    struct tape_i64s *out, struct tape_err *err)
{
	struct tape_json_token tok;
	size_t n = 0, cap = 64;
	int64_t *v = tape_arena_alloc(&j->arena, cap, sizeof(*v)), *more;
	enum tape_status st = TAPE_OK;

	if (key->type != TAPE_JSON_ARRAY)
		return wrong(key, "an array of block ids", err);
	while (v != NULL) {
		st = tape_json_next(&j->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_ARRAY_END)
			break;
		if (tok.type != TAPE_JSON_INT || n == IDS_MAX)
			return tape_err_set(
			    err, TAPE_E_FORMAT, "a block id is not an integer");
		if (n == cap) {
			more = tape_arena_alloc(&j->arena, cap * 2, sizeof(*v));
			if (more != NULL)
				memcpy(more, v, n * sizeof(*v));
			v = more;
			cap *= 2;
		}
		if (v != NULL)
			v[n++] = tok.i64;
	}
	out->v = v;
	out->n = n;
	return v == NULL ? tape_err_nomem(err) : st;
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
	if (tape_json_key_is(tok, "output_length"))
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
	tape_json_open(&j->json, line, len, TAPE_JSON_FOREIGN);
	return read_row(j, row, err);
}
