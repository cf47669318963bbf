/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_json: any bytes as JSON, in both modes.  The scanner and the cJSON tree
 * must agree wherever cJSON can hold the text; each value's source must read as
 * that value; and what was read, written again, must read the same.
 */
#include "base/buf.h"
#include "codec/json.h"
#include "codec/json_write.h"
#include "unit/json_show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TEXT_CAP ((size_t)64 << 20)

struct texts {
	const char *text;
	size_t len;
	enum tape_json_mode mode;
	struct tape_json a, b;
	struct tape_buf x, y;
};

/* Statuses agree, and the tokens up to the end. */
static void
check_tree(struct texts *t, enum tape_status scanned)
{
	struct tape_err err = { 0 };
	enum tape_status st =
	    tape_json_open_tree(&t->b, t->text, t->len, t->mode, &err);

	if (st == TAPE_E_LIMIT || scanned == TAPE_E_LIMIT)
		return;
	if (st == TAPE_OK)
		st = json_show(&t->b, &t->y);
	else if (err.status != st)
		abort();
	if (st != scanned)
		abort();
	if (st == TAPE_OK && (t->x.len != t->y.len ||
				 memcmp(t->x.data, t->y.data, t->x.len) != 0))
		abort();
}

/* Skips every container whose number the step divides, and reads what was
   skipped as a text of its own. */
static void
check_skip(struct texts *t, unsigned step)
{
	struct tape_json_token tok = { 0 };
	const char *raw;
	size_t len;
	unsigned n = 0;

	tape_json_open(&t->a, t->text, t->len, t->mode);
	do {
		if (tape_json_next(&t->a, &tok, NULL) != TAPE_OK)
			abort();
		if (tok.type == TAPE_JSON_OBJECT_END ||
		    tok.type == TAPE_JSON_ARRAY_END ||
		    tok.type == TAPE_JSON_END || ++n % step != 0)
			continue;
		if (tape_json_skip(&t->a, &raw, &len, NULL) != TAPE_OK ||
		    raw < t->text || raw + len > t->text + t->len)
			abort();
		tape_json_open(&t->b, raw, len, t->mode);
		if (tape_json_next(&t->b, &tok, NULL) != TAPE_OK ||
		    tape_json_skip(&t->b, NULL, NULL, NULL) != TAPE_OK ||
		    tape_json_end(&t->b, NULL) != TAPE_OK)
			abort();
	} while (tok.type != TAPE_JSON_END);
}

static bool
has_nul(const char *p, size_t len)
{
	return len > 0 && memchr(p, '\0', len) != NULL;
}

static void
write_token(struct tape_json_writer *w, const struct tape_json_token *tok,
    const char *key)
{
	switch (tok->type) {
	case TAPE_JSON_OBJECT:
		tape_json_write_object(w, key);
		break;
	case TAPE_JSON_OBJECT_END:
		tape_json_write_object_end(w);
		break;
	case TAPE_JSON_ARRAY:
		tape_json_write_array(w, key);
		break;
	case TAPE_JSON_ARRAY_END:
		tape_json_write_array_end(w);
		break;
	case TAPE_JSON_STRING:
		tape_json_write_str(w, key, tok->str, tok->len);
		break;
	case TAPE_JSON_INT:
		tape_json_write_i64(w, key, tok->i64);
		break;
	case TAPE_JSON_DOUBLE:
		if (tok->u64 != 0)
			tape_json_write_u64(w, key, tok->u64);
		else
			tape_json_write_double(w, key, tok->num);
		break;
	case TAPE_JSON_TRUE:
	case TAPE_JSON_FALSE:
		tape_json_write_bool(w, key, tok->type == TAPE_JSON_TRUE);
		break;
	case TAPE_JSON_NULL:
		tape_json_write_null(w, key);
		break;
	case TAPE_JSON_END:
		break;
	}
}

/* Writes all tokens into x.  False when the writer must refuse: text with
   NUL. */
static bool
write_again(struct texts *t)
{
	struct tape_json_token tok = { 0 };
	struct tape_json_writer w;
	struct tape_err err = { 0 };
	struct tape_buf key;
	bool nul = false;

	tape_buf_init(&key, TEXT_CAP);
	tape_buf_clear(&t->x);
	tape_json_write_init(&w, &t->x);
	tape_json_open(&t->a, t->text, t->len, t->mode);
	do {
		if (tape_json_next(&t->a, &tok, NULL) != TAPE_OK)
			abort();
		tape_buf_clear(&key);
		(void)tape_buf_add(&key, tok.key, tok.key_len);
		nul =
		    nul || has_nul(tok.key, tok.key_len) ||
		    (tok.type == TAPE_JSON_STRING && has_nul(tok.str, tok.len));
		write_token(&w, &tok, tok.key != NULL ? key.data : NULL);
	} while (tok.type != TAPE_JSON_END);
	tape_buf_release(&key);
	if (tape_json_write_finish(&w, &err) == TAPE_OK)
		return !nul;
	if (!nul || err.status != TAPE_E_BUG || t->x.len != 0)
		abort();
	return false;
}

static bool
same_bytes(const char *p, size_t p_len, const char *q, size_t q_len)
{
	if (p == NULL || q == NULL)
		return p == q;
	return p_len == q_len && memcmp(p, q, p_len) == 0;
}

/* A double may come back as an integer of the same value, a number that was
   clamped as one that was not. */
static bool
same_token(const struct tape_json_token *a, const struct tape_json_token *b)
{
	if (!same_bytes(a->key, a->key_len, b->key, b->key_len) ||
	    a->depth != b->depth)
		return false;
	if (a->type == TAPE_JSON_DOUBLE)
		return (b->type == TAPE_JSON_DOUBLE ||
			   b->type == TAPE_JSON_INT) &&
		       !(a->num < b->num) && !(a->num > b->num) &&
		       signbit(a->num) == signbit(b->num);
	if (a->type != b->type)
		return false;
	if (a->type == TAPE_JSON_INT)
		return a->i64 == b->i64;
	return a->type != TAPE_JSON_STRING ||
	       same_bytes(a->str, a->len, b->str, b->len);
}

static void
check_writer(struct texts *t)
{
	struct tape_json_token a = { 0 }, b = { 0 };

	if (!write_again(t))
		return;
	tape_json_open(&t->a, t->text, t->len, t->mode);
	tape_json_open(&t->b, t->x.data, t->x.len, t->mode);
	do {
		if (tape_json_next(&t->a, &a, NULL) != TAPE_OK ||
		    tape_json_next(&t->b, &b, NULL) != TAPE_OK ||
		    !same_token(&a, &b))
			abort();
	} while (a.type != TAPE_JSON_END);
}

/* An open array: what count said, elements so far, none of them a container. */
struct open_array {
	size_t count, seen;
	bool flat;
};

static void
count_element(struct open_array *open, const struct tape_json_token *tok)
{
	struct open_array *outer =
	    tok->depth > 0 ? &open[tok->depth - 1] : NULL;

	if (tok->type == TAPE_JSON_ARRAY_END) {
		if (open[tok->depth].flat &&
		    open[tok->depth].count != open[tok->depth].seen)
			abort();
		return;
	}
	if (outer == NULL)
		return;
	outer->seen++;
	if (tok->type == TAPE_JSON_ARRAY || tok->type == TAPE_JSON_OBJECT)
		outer->flat = false;
}

/* Integers taken are those that next gives one by one, and flat arrays have as
   many elements as are counted. */
static void
check_arrays(struct texts *t)
{
	struct open_array open[TAPE_CAP_JSON_DEPTH] = { 0 };
	struct tape_json_token a = { 0 }, b = { 0 };
	int64_t v[3];

	tape_json_open(&t->a, t->text, t->len, t->mode);
	tape_json_open(&t->b, t->text, t->len, t->mode);
	do {
		if (tape_json_next(&t->a, &a, NULL) != TAPE_OK ||
		    tape_json_next(&t->b, &b, NULL) != TAPE_OK ||
		    !same_token(&a, &b))
			abort();
		count_element(open, &a);
		if (a.type == TAPE_JSON_ARRAY)
			open[a.depth] =
			    (struct open_array){ tape_json_count(&t->b), 0,
				    true };
		for (size_t i = 0, n = tape_json_take_i64s(&t->b, v, 3); i < n;
		     i++) {
			if (tape_json_next(&t->a, &a, NULL) != TAPE_OK ||
			    a.type != TAPE_JSON_INT || a.i64 != v[i])
				abort();
			count_element(open, &a);
		}
		if (tape_json_offset(&t->a) != tape_json_offset(&t->b))
			abort();
	} while (a.type != TAPE_JSON_END);
}

static void
check(struct texts *t)
{
	enum tape_status st;

	tape_json_open(&t->a, t->text, t->len, t->mode);
	st = json_show(&t->a, &t->x);
	if (st != TAPE_OK && st != TAPE_E_FORMAT && st != TAPE_E_LIMIT)
		abort();
	check_tree(t, st);
	if (st != TAPE_OK)
		return;
	check_skip(t, 1);
	check_skip(t, 2);
	check_skip(t, 3);
	check_writer(t);
	check_arrays(t);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct texts t = { .text = (const char *)data, .len = size };

	tape_json_init(&t.a);
	tape_json_init(&t.b);
	tape_buf_init(&t.x, TEXT_CAP);
	tape_buf_init(&t.y, TEXT_CAP);
	t.mode = TAPE_JSON_OURS;
	check(&t);
	t.mode = TAPE_JSON_FOREIGN;
	check(&t);
	tape_json_release(&t.a);
	tape_json_release(&t.b);
	tape_buf_release(&t.x);
	tape_buf_release(&t.y);
	return 0;
}
