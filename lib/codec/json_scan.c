/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/json_impl.h"

#include "base/mem.h"

#include <string.h>

/* What may come next. */
enum {
	AT_VALUE,         /* the value of the text */
	AT_FIRST_MEMBER,  /* a key or } */
	AT_MEMBER,        /* , and a key, or } */
	AT_FIRST_ELEMENT, /* a value or ] */
	AT_ELEMENT,       /* , and a value, or ] */
	AT_END
};

void
tape_json_init(struct tape_json *r)
{
	memset(r, 0, sizeof(*r));
	tape_buf_init(&r->key, SIZE_MAX - 1);
	tape_buf_init(&r->str, SIZE_MAX - 1);
	tape_buf_init(&r->arena, SIZE_MAX - 1);
	tape_json_open(r, "", 0, TAPE_JSON_OURS);
}

void
tape_json_release(struct tape_json *r)
{
	tape_buf_release(&r->key);
	tape_buf_release(&r->str);
	tape_buf_release(&r->arena);
	tape_mem_free(r->keys);
	tape_json_tree_free(r);
	memset(r, 0, sizeof(*r));
}

void
tape_json_open(
    struct tape_json *r, const char *text, size_t len, enum tape_json_mode mode)
{
	tape_json_tree_free(r);
	r->text = len > 0 ? text : "";
	r->p = r->text;
	r->end = r->text + len;
	r->depth = 0;
	r->state = AT_VALUE;
	r->mode = mode;
	r->last = TAPE_JSON_END;
	r->last_raw = r->text;
	r->status = TAPE_OK;
	r->keys_len = 0;
	tape_buf_clear(&r->arena);
}

enum tape_status
tape_json_fail(struct tape_json *r, enum tape_status status, const char *at,
    const char *what, struct tape_err *err)
{
	if (r->status == TAPE_OK) {
		r->status = status;
		r->what = what;
		r->what_offset = (size_t)(at - r->text);
	}
	return tape_err_set(err, r->status, "bad JSON at byte %zu: %s",
	    r->what_offset, r->what);
}

static enum tape_status
fail(struct tape_json *r, const char *what, struct tape_err *err)
{
	if (r->p == r->end)
		what = "text ends too early";
	return tape_json_fail(r, TAPE_E_FORMAT, r->p, what, err);
}

static inline void
skip_space(struct tape_json *r)
{
	const char *p = r->p;

	while (p < r->end && (unsigned char)*p <= ' ' &&
	       (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
		p++;
	r->p = p;
}

static inline bool
in_object(const struct tape_json *r)
{
	return (r->nest >> (r->depth - 1) & 1) != 0;
}

/* What comes after a whole value. */
static inline void
set_after(struct tape_json *r)
{
	if (r->depth == 0)
		r->state = AT_END;
	else
		r->state = in_object(r) ? AT_MEMBER : AT_ELEMENT;
}

static enum tape_status
open_container(struct tape_json *r, bool object, struct tape_err *err)
{
	if (r->depth == TAPE_CAP_JSON_DEPTH)
		return tape_json_fail(
		    r, TAPE_E_LIMIT, r->p, "nested too deep", err);
	r->nest &= ~(UINT64_C(1) << r->depth);
	r->nest |= (uint64_t)object << r->depth;
	r->depth++;
	r->state = object ? AT_FIRST_MEMBER : AT_FIRST_ELEMENT;
	r->p++;
	if (object && r->mode == TAPE_JSON_OURS)
		tape_json_keys_begin(r);
	return TAPE_OK;
}

static enum tape_status
close_container(
    struct tape_json *r, struct tape_json_token *tok, struct tape_err *err)
{
	bool object = in_object(r);

	if (object && r->mode == TAPE_JSON_OURS &&
	    tape_json_keys_end(r, err) != TAPE_OK)
		return r->status;
	r->depth--;
	tok->type = object ? TAPE_JSON_OBJECT_END : TAPE_JSON_ARRAY_END;
	tok->depth = r->depth;
	r->p++;
	set_after(r);
	return TAPE_OK;
}

static inline enum tape_status
read_word(struct tape_json *r, struct tape_json_token *tok, const char *word,
    enum tape_json_type type, struct tape_err *err)
{
	size_t n = strlen(word);

	if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0)
		return fail(r, "not a value", err);
	r->p += n;
	tok->type = type;
	return TAPE_OK;
}

static enum tape_status
read_value(
    struct tape_json *r, struct tape_json_token *tok, struct tape_err *err)
{
	tok->raw = r->p;
	if (r->p == r->end)
		return fail(r, NULL, err);
	if (*r->p == '"') {
		r->p++;
		tok->type = TAPE_JSON_STRING;
		return tape_json_read_string(
		    r, &r->str, &tok->str, &tok->len, err);
	}
	switch (*r->p) {
	case '{':
		tok->type = TAPE_JSON_OBJECT;
		return open_container(r, true, err);
	case '[':
		tok->type = TAPE_JSON_ARRAY;
		return open_container(r, false, err);
	case 't':
		return read_word(r, tok, "true", TAPE_JSON_TRUE, err);
	case 'f':
		return read_word(r, tok, "false", TAPE_JSON_FALSE, err);
	case 'n':
		return read_word(r, tok, "null", TAPE_JSON_NULL, err);
	default:
		if (*r->p != '-' && (*r->p < '0' || *r->p > '9'))
			return fail(r, "not a value", err);
		return tape_json_read_number(r, tok, err);
	}
}

/* The key at r->p and its colon. */
static enum tape_status
read_key(struct tape_json *r, struct tape_json_token *tok, struct tape_err *err)
{
	const char *at = r->p;
	enum tape_status st;

	if (r->p == r->end || *r->p != '"')
		return fail(r, "not a key", err);
	r->p++;
	st = tape_json_read_string(r, &r->key, &tok->key, &tok->key_len, err);
	if (st == TAPE_OK && r->mode == TAPE_JSON_OURS)
		st = tape_json_keys_add(r, tok->key, tok->key_len, at, err);
	if (st != TAPE_OK)
		return st;
	skip_space(r);
	if (r->p == r->end || *r->p != ':')
		return fail(r, "no colon after a key", err);
	r->p++;
	skip_space(r);
	return TAPE_OK;
}

/* Goes to the next member or element, or to the end of the container, which
   sets *closed. */
static enum tape_status
go_on(struct tape_json *r, bool *closed, struct tape_err *err)
{
	bool first =
	    r->state == AT_FIRST_MEMBER || r->state == AT_FIRST_ELEMENT;
	bool object = in_object(r);

	*closed = r->p < r->end && *r->p == (object ? '}' : ']');
	if (*closed || first)
		return TAPE_OK;
	if (r->p == r->end || *r->p != ',')
		return fail(r,
		    object ? "neither , nor } after a member"
			   : "neither , nor ] after an element",
		    err);
	r->p++;
	skip_space(r);
	return TAPE_OK;
}

static enum tape_status
read_inside(
    struct tape_json *r, struct tape_json_token *tok, struct tape_err *err)
{
	bool closed;
	enum tape_status st = go_on(r, &closed, err);

	if (st != TAPE_OK)
		return st;
	if (closed)
		return close_container(r, tok, err);
	if (in_object(r)) {
		st = read_key(r, tok, err);
		if (st != TAPE_OK)
			return st;
	}
	set_after(r);
	return read_value(r, tok, err);
}

enum tape_status
tape_json_next(
    struct tape_json *r, struct tape_json_token *tok, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	tok->type = TAPE_JSON_END;
	if (r->status != TAPE_OK)
		return tape_json_fail(r, r->status, r->p, NULL, err);
	if (r->tree != NULL)
		return tape_json_tree_next(r, tok, err);
	skip_space(r);
	tok->depth = r->depth;
	tok->key = NULL;
	tok->key_len = 0;
	tok->raw = r->p;
	if (r->state == AT_END) {
		if (r->p < r->end)
			st = fail(r, "more after the value", err);
	} else if (r->state == AT_VALUE) {
		r->state = AT_END;
		st = read_value(r, tok, err);
	} else {
		st = read_inside(r, tok, err);
	}
	tok->raw_len = (size_t)(r->p - tok->raw);
	r->last = tok->type;
	r->last_raw = tok->raw;
	return st;
}

size_t
tape_json_take_i64s(struct tape_json *r, int64_t *v, size_t max)
{
	const char *p = r->p, *end;
	size_t n = 0;

	if (r->tree != NULL || r->status != TAPE_OK ||
	    (r->state != AT_FIRST_ELEMENT && r->state != AT_ELEMENT))
		return 0;
	while (n < max && p < r->end) {
		if (r->state == AT_ELEMENT && *p++ != ',')
			break;
		end = tape_json_integer(p, r->end, &v[n]);
		if (end == NULL || end == r->end ||
		    (*end != ',' && *end != ']'))
			break;
		n++;
		r->last = TAPE_JSON_INT;
		r->last_raw = p;
		r->state = AT_ELEMENT;
		r->p = p = end;
	}
	return n;
}

/* Bytes of [p, end) that are commas; eight sums run side by side. */
static size_t
count_commas(const char *p, const char *end)
{
	uint64_t x, sums = 0;
	size_t n = 0;
	int steps = 0;

	for (; end - p >= 8; p += 8) {
		memcpy(&x, p, 8);
		x ^= TAPE_JSON_EACH(',');
		x = ((x & TAPE_JSON_EACH(0x7f)) + TAPE_JSON_EACH(0x7f)) | x;
		sums += ~x >> 7 & TAPE_JSON_EACH(1);
		if (++steps < 255)
			continue;
		for (; sums != 0; sums >>= 8)
			n += sums & 0xff;
		steps = 0;
	}
	for (; sums != 0; sums >>= 8)
		n += sums & 0xff;
	for (; p < end; p++)
		n += *p == ',';
	return n;
}

/* The same, but those outside of strings, up to the end of the array. */
static size_t
count_between(const char *p, const char *end)
{
	size_t n = 0;

	for (; p < end && *p != ']'; p++) {
		n += *p == ',';
		if (*p != '"')
			continue;
		for (p++; p < end && *p != '"'; p++)
			p += *p == '\\' && end - p > 1;
		if (p == end)
			break;
	}
	return n;
}

size_t
tape_json_count(const struct tape_json *r)
{
	const char *p = r->p, *close;

	if (r->tree != NULL || r->state != AT_FIRST_ELEMENT)
		return 0;
	while (p < r->end && (unsigned char)*p <= ' ')
		p++;
	if (p == r->end || *p == ']')
		return 0;
	close = memchr(p, ']', (size_t)(r->end - p));
	if (close == NULL)
		close = r->end;
	if (memchr(p, '"', (size_t)(close - p)) == NULL)
		return count_commas(p, close) + 1;
	return count_between(p, r->end) + 1;
}

enum tape_status
tape_json_skip(
    struct tape_json *r, const char **raw, size_t *len, struct tape_err *err)
{
	struct tape_json_token tok;
	const char *start = r->last_raw;
	bool container =
	    r->last == TAPE_JSON_OBJECT || r->last == TAPE_JSON_ARRAY;
	unsigned depth = r->depth;
	enum tape_status st = TAPE_OK;

	while (container && st == TAPE_OK && r->depth >= depth)
		st = tape_json_next(r, &tok, err);
	if (container && st == TAPE_OK) {
		r->last = TAPE_JSON_END;
		r->last_raw = start;
	}
	if (raw != NULL)
		*raw = r->tree == NULL ? r->last_raw : NULL;
	if (len != NULL)
		*len = (size_t)(r->p - r->last_raw);
	return st;
}

enum tape_status
tape_json_expect(struct tape_json *r, enum tape_json_type type,
    struct tape_json_token *tok, struct tape_err *err)
{
	enum tape_status st = tape_json_next(r, tok, err);

	if (st != TAPE_OK || tok->type == type)
		return st;
	return tape_err_set(err, TAPE_E_FORMAT,
	    "bad JSON at byte %zu: %s where %s should be", tape_json_offset(r),
	    tape_json_type_name(tok->type), tape_json_type_name(type));
}

enum tape_status
tape_json_end(struct tape_json *r, struct tape_err *err)
{
	struct tape_json_token tok = { 0 };

	return tape_json_expect(r, TAPE_JSON_END, &tok, err);
}

size_t
tape_json_offset(const struct tape_json *r)
{
	return (size_t)(r->last_raw - r->text);
}

const char *
tape_json_type_name(enum tape_json_type type)
{
	static const char *const name[] = { "the end", "an object",
		"the end of an object", "an array", "the end of an array",
		"a string", "an integer", "a number", "true", "false", "null" };

	return name[type];
}
