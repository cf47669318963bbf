/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/import_dig.h"

#define PATH_CAP ((size_t)1 << 20)

void
tape_digger_init(struct tape_digger *d)
{
	memset(d, 0, sizeof(*d));
	tape_json_init(&d->json);
	tape_buf_init(&d->path, PATH_CAP);
}

void
tape_digger_release(struct tape_digger *d)
{
	tape_json_release(&d->json);
	tape_arena_release(&d->arena);
	tape_buf_release(&d->path);
}

static void
set_absent(const struct tape_dig *row, void *field)
{
	static const struct tape_str none;
	static const struct tape_f64s no_numbers;

	switch (row->type) {
	case TAPE_DIG_NUMBER:
		*(double *)field = TAPE_ABSENT_F64;
		break;
	case TAPE_DIG_INTEGER:
		*(int64_t *)field = TAPE_ABSENT_I64;
		break;
	case TAPE_DIG_TEXT:
	case TAPE_DIG_RAW:
		*(struct tape_str *)field = none;
		break;
	case TAPE_DIG_BOOL:
		*(int8_t *)field = TAPE_ABSENT_BOOL;
		break;
	case TAPE_DIG_NUMBERS:
		*(struct tape_f64s *)field = no_numbers;
		break;
	}
}

static enum tape_status
wrong(const struct tape_digger *d, const char *want, struct tape_err *err)
{
	return tape_err_set(err, TAPE_E_FORMAT, "\"%.200s\" is not %s",
	    d->path.len > 0 ? d->path.data : "value", want);
}

static enum tape_status
take_integer(const struct tape_digger *d, const struct tape_json_token *tok,
    int64_t *v, struct tape_err *err)
{
	if (tok->type == TAPE_JSON_INT) {
		*v = tok->i64;
		return TAPE_OK;
	}
	if (tok->type != TAPE_JSON_DOUBLE || fabs(tok->num) > 0x1p53 ||
	    tok->num != floor(tok->num))
		return wrong(d, "an integer", err);
	*v = (int64_t)tok->num;
	return TAPE_OK;
}

static bool
is_number(const struct tape_json_token *tok)
{
	return tok->type == TAPE_JSON_INT || tok->type == TAPE_JSON_DOUBLE;
}

/* A copy without NUL, which no record of ours can hold. */
static enum tape_status
take_text(struct tape_digger *d, const struct tape_json_token *tok,
    struct tape_str *out, struct tape_err *err)
{
	char *p;

	if (tok->type != TAPE_JSON_STRING)
		return wrong(d, "a string", err);
	p = tape_arena_dup(&d->arena, tok->str, tok->len);
	if (p == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < tok->len; i++)
		if (p[i] == '\0')
			p[i] = '?';
	*out = tape_str_make(p, tok->len);
	return TAPE_OK;
}

/* The array whose begin is tok; what is no number but null is refused. */
static enum tape_status
take_numbers(struct tape_digger *d, const struct tape_json_token *begin,
    struct tape_f64s *out, struct tape_err *err)
{
	struct tape_json_token tok;
	double *v = NULL;
	size_t all, n = 0;
	enum tape_status st;

	if (begin->type != TAPE_JSON_ARRAY)
		return wrong(d, "an array of numbers", err);
	all = tape_json_count(&d->json);
	v = tape_arena_alloc(&d->arena, all + 1, sizeof(*v));
	if (v == NULL)
		return tape_err_nomem(err);
	for (;;) {
		st = tape_json_next(&d->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_ARRAY_END)
			break;
		if (n == all ||
		    (!is_number(&tok) && tok.type != TAPE_JSON_NULL))
			return wrong(d, "an array of numbers", err);
		v[n++] = is_number(&tok) ? tok.num : TAPE_ABSENT_F64;
	}
	*out = (struct tape_f64s){ v, n };
	return st;
}

static enum tape_status
take(struct tape_digger *d, const struct tape_json_token *tok,
    const struct tape_dig *row, void *field, struct tape_err *err)
{
	struct tape_str *raw = field;

	set_absent(row, field);
	if (tok->type == TAPE_JSON_NULL)
		return TAPE_OK;
	switch (row->type) {
	case TAPE_DIG_NUMBER:
		if (!is_number(tok))
			return wrong(d, "a number", err);
		*(double *)field = tok->num;
		return TAPE_OK;
	case TAPE_DIG_INTEGER:
		return take_integer(d, tok, field, err);
	case TAPE_DIG_TEXT:
		return take_text(d, tok, field, err);
	case TAPE_DIG_BOOL:
		if (tok->type != TAPE_JSON_TRUE && tok->type != TAPE_JSON_FALSE)
			return wrong(d, "true or false", err);
		*(int8_t *)field = tok->type == TAPE_JSON_TRUE;
		return TAPE_OK;
	case TAPE_DIG_NUMBERS:
		return take_numbers(d, tok, field, err);
	case TAPE_DIG_RAW:
		return tape_json_skip(&d->json, &raw->p, &raw->len, err);
	}
	return TAPE_OK;
}

/* The row of the path in hand, or n; *above: some path goes on below it. */
static size_t
find(const struct tape_digger *d, const struct tape_dig *table, size_t n,
    bool *above)
{
	const struct tape_buf *p = &d->path;
	size_t found = n;

	*above = false;
	for (size_t i = 0; i < n; i++) {
		if (strncmp(table[i].path, p->data, p->len) != 0)
			continue;
		if (table[i].path[p->len] == '\0')
			found = i;
		else if (table[i].path[p->len] == '.')
			*above = true;
	}
	return found;
}

static enum tape_status
set_path(struct tape_digger *d, size_t keep, const struct tape_json_token *tok,
    struct tape_err *err)
{
	d->path.len = keep;
	if (keep > 0)
		(void)tape_buf_add_char(&d->path, '.');
	(void)tape_buf_add(&d->path, tok->key, tok->key_len);
	return tape_buf_status(&d->path, err);
}

enum tape_status
tape_dig_read(struct tape_digger *d, struct tape_str text,
    const struct tape_dig *table, size_t n, void *out, struct tape_err *err)
{
	/* Of each depth the length of the path that its members stand below. */
	size_t keep[TAPE_CAP_JSON_DEPTH + 1] = { 0 };
	struct tape_json_token tok;
	bool above;
	size_t i;
	enum tape_status st;

	for (i = 0; i < n; i++)
		set_absent(&table[i], (char *)out + table[i].at);
	tape_buf_clear(&d->path);
	tape_json_open(&d->json, text.p, text.len, TAPE_JSON_FOREIGN);
	st = tape_json_expect(&d->json, TAPE_JSON_OBJECT, &tok, err);
	while (st == TAPE_OK) {
		st = tape_json_next(&d->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_END)
			break;
		if (tok.type == TAPE_JSON_OBJECT_END)
			continue;
		st = set_path(d, keep[tok.depth], &tok, err);
		if (st != TAPE_OK)
			break;
		i = find(d, table, n, &above);
		if (i < n)
			st = take(
			    d, &tok, &table[i], (char *)out + table[i].at, err);
		else if (above && tok.type == TAPE_JSON_OBJECT)
			keep[tok.depth + 1] = d->path.len;
		else
			st = tape_json_skip(&d->json, NULL, NULL, err);
	}
	return st;
}

enum tape_status
tape_dig_numbers(struct tape_digger *d, struct tape_str text,
    struct tape_f64s *out, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	tape_buf_clear(&d->path);
	tape_json_open(&d->json, text.p, text.len, TAPE_JSON_FOREIGN);
	st = tape_json_next(&d->json, &tok, err);
	return st == TAPE_OK ? take_numbers(d, &tok, out, err) : st;
}

enum tape_status
tape_dig_texts(struct tape_digger *d, struct tape_str text,
    struct tape_strs *out, struct tape_err *err)
{
	struct tape_json_token tok;
	struct tape_str *v;
	size_t all, n = 0;
	enum tape_status st;

	tape_buf_clear(&d->path);
	tape_json_open(&d->json, text.p, text.len, TAPE_JSON_FOREIGN);
	st = tape_json_expect(&d->json, TAPE_JSON_ARRAY, &tok, err);
	all = st == TAPE_OK ? tape_json_count(&d->json) : 0;
	v = tape_arena_alloc(&d->arena, all + 1, sizeof(*v));
	if (v == NULL)
		return tape_err_nomem(err);
	while (st == TAPE_OK) {
		st = tape_json_next(&d->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_ARRAY_END)
			break;
		if (n == all)
			return wrong(d, "an array of strings", err);
		if (tok.type != TAPE_JSON_NULL)
			st = take_text(d, &tok, &v[n], err);
		n++;
	}
	*out = (struct tape_strs){ v, n };
	return st;
}

void
tape_dig_items_init(struct tape_dig_items *i, struct tape_str text)
{
	memset(i, 0, sizeof(*i));
	tape_json_init(&i->json);
	tape_json_open(&i->json, text.p == NULL ? "[]" : text.p,
	    text.p == NULL ? 2 : text.len, TAPE_JSON_FOREIGN);
}

void
tape_dig_items_release(struct tape_dig_items *i)
{
	tape_json_release(&i->json);
}

enum tape_status
tape_dig_items_next(
    struct tape_dig_items *i, struct tape_str *item, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st = TAPE_OK;

	if (!i->begun)
		st = tape_json_expect(&i->json, TAPE_JSON_ARRAY, &tok, err);
	i->begun = true;
	if (st == TAPE_OK)
		st = tape_json_next(&i->json, &tok, err);
	if (st != TAPE_OK)
		return st;
	if (tok.type == TAPE_JSON_ARRAY_END)
		return TAPE_EOF;
	return tape_json_skip(&i->json, &item->p, &item->len, err);
}
