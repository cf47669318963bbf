/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api_verbatim.h"

#include "api/api_body.h"

struct change {
	const struct tape_api_changes *how;
	struct tape_buf *out;
	const char *begin; /* behind what was copied or left out last */
	bool any;          /* a member is in out */
	struct tape_json json;
	uint64_t
	    seen[TAPE_API_MAX_FIELDS / 64]; /* fields of set that were met */
};

static bool
is_dropped(const struct tape_api_changes *how, struct tape_str key)
{
	for (size_t i = 0; i < how->drop_n; i++)
		if (tape_str_is(key, how->drop[i]))
			return true;
	return false;
}

/* What stands before the value; a comma goes with the members before it when
   none of these stayed. */
static void
copy_head(struct change *c, const char *value)
{
	const char *p = c->begin;

	if (!c->any) {
		while (p < value && *p != '"' && *p != ',')
			p++;
		p = p < value && *p == ',' ? p + 1 : c->begin;
	}
	(void)tape_buf_add(c->out, p, (size_t)(value - p));
	c->any = true;
}

/* The value of a member, whole, comes to this. */
static enum tape_status
change_member(struct change *c, struct tape_str key, struct tape_str value,
    struct tape_err *err)
{
	const struct tape_api_changes *how = c->how;
	const struct tape_api_field *f = tape_api_fields_find(how->set, key);
	enum tape_status st = TAPE_OK;

	if (f == NULL && is_dropped(how, key)) {
		c->begin = value.p + value.len;
		return TAPE_OK;
	}
	copy_head(c, value.p);
	c->begin = value.p + value.len;
	if (f != NULL) {
		const size_t i = (size_t)(f - how->set->v);

		c->seen[i / 64] |= UINT64_C(1) << i % 64;
		(void)tape_buf_add(c->out, f->value.p, f->value.len);
	} else if (how->model.p != NULL && tape_str_is(key, "model")) {
		st = tape_api_body_quote(c->out, how->model, err);
	} else {
		(void)tape_buf_add(c->out, value.p, value.len);
	}
	return st;
}

static enum tape_status
add_rest(struct change *c, struct tape_err *err)
{
	const struct tape_api_fields *set = c->how->set;
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < set->n && st == TAPE_OK; i++) {
		if ((c->seen[i / 64] >> i % 64 & 1) != 0)
			continue;
		st = tape_api_field_write(&set->v[i], !c->any, c->out, err);
		c->any = true;
	}
	return st;
}

/* A key lives until the next call on the reader only, which skipping is. */
static enum tape_status
copy_key(struct tape_buf *key, const struct tape_json_token *tok,
    struct tape_err *err)
{
	tape_buf_clear(key);
	(void)tape_buf_add(key, tok->key, tok->key_len);
	return tape_buf_status(key, err);
}

static enum tape_status
change_body(struct change *c, struct tape_str body, struct tape_buf *key,
    struct tape_err *err)
{
	struct tape_json_token tok;
	struct tape_str value;
	enum tape_status st;

	tape_json_open(&c->json, body.p, body.len, TAPE_JSON_FOREIGN);
	st = tape_json_expect(&c->json, TAPE_JSON_OBJECT, &tok, err);
	if (st != TAPE_OK)
		return st;
	c->begin = tok.raw + 1;
	(void)tape_buf_add(c->out, body.p, (size_t)(c->begin - body.p));
	for (;;) {
		st = tape_json_next(&c->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		st = copy_key(key, &tok, err);
		if (st == TAPE_OK)
			st =
			    tape_json_skip(&c->json, &value.p, &value.len, err);
		if (st == TAPE_OK)
			st = change_member(
			    c, tape_str_make(key->data, key->len), value, err);
		if (st != TAPE_OK)
			return st;
	}
	if (st == TAPE_OK)
		st = tape_json_end(&c->json, err);
	if (st == TAPE_OK)
		st = add_rest(c, err);
	(void)tape_buf_add(
	    c->out, c->begin, (size_t)(body.p + body.len - c->begin));
	return st;
}

enum tape_status
tape_api_verbatim(const struct tape_api_changes *changes, struct tape_str body,
    struct tape_buf *out, struct tape_err *err)
{
	struct change c = { .how = changes, .out = out, .begin = body.p };
	struct tape_err why = { 0 };
	struct tape_buf key;
	enum tape_status st;

	tape_buf_init(&key, TAPE_CAP_REQUEST);
	tape_json_init(&c.json);
	st = change_body(&c, body, &key, &why);
	tape_json_release(&c.json);
	tape_buf_release(&key);
	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	if (st != TAPE_OK)
		return tape_err_set(err, TAPE_E_USAGE,
		    "the recorded body is no JSON object, so its fields cannot "
		    "be changed: %s",
		    why.text);
	return tape_buf_status(out, err);
}
