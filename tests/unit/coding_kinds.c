/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every kind, filled with random values by the table: what is encoded decodes
 * to the same, absent fields stay absent and empty ones empty.
 */
#include "record/coding.h"

#include "base/mem.h"
#include "codec/stat_rng.h"
#include "record/fields.h"
#include "unit/tap.h"

#include <stdlib.h>

#define ROUNDS  300
#define LONGEST 40

static struct tape_rng rng;
static struct tape_arena arena;

static uint32_t
below(uint32_t n)
{
	return tape_rng_u32(&rng) % n;
}

static void *
take(size_t n, size_t size)
{
	void *p = tape_arena_alloc(&arena, n > 0 ? n : 1, size);

	if (p == NULL)
		exit(1);
	return p;
}

static int64_t
some_i64(void)
{
	static const int64_t ends[] = { 0, 1, -1, TAPE_FIELD_I64_MAX,
		-TAPE_FIELD_I64_MAX, (INT64_C(1) << 53) + 1, 99999999,
		100000000, -100000000 };

	if (below(3) == 0)
		return ends[below(sizeof(ends) / sizeof(ends[0]))];
	return (int64_t)(tape_rng_u64(&rng) >> (4 + below(60))) *
	       (below(2) == 0 ? 1 : -1);
}

static double
some_f64(void)
{
	static const double ends[] = { 0, -0.0, 1, 1e300, -1e-300, 5e-324,
		1.7976931348623157e308, 0.1, 1e15, 123456789012345680.0, 1e21 };
	uint64_t bits = tape_rng_u64(&rng);
	double v;

	memcpy(&v, &bits, sizeof(v));
	if (below(3) == 0 || !isfinite(v))
		return ends[below(sizeof(ends) / sizeof(ends[0]))];
	return v;
}

/* Pieces of text that JSON treats differently. */
static struct tape_str
some_str(void)
{
	static const char *const pieces[] = { "a", "\"", "\\", "\n", "\x01",
		"\x1f", "\x7f", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
		" ", "[1,2]", "{\"kind\":\"end\"}", "null", "/", "\\u0041" };
	size_t n = below(4) == 0 ? 0 : below(LONGEST), len = 0;
	char *p = take(n * 16 + 1, 1);

	for (size_t i = 0; i < n; i++) {
		const char *piece =
		    pieces[below(sizeof(pieces) / sizeof(pieces[0]))];

		memcpy(p + len, piece, strlen(piece));
		len += strlen(piece);
	}
	return tape_str_make(p, len);
}

static struct tape_str
some_json(enum tape_field_type type)
{
	static const char *const objects[] = { "{}",
		"{\"a\":[1,2,{\"b\":\"}\"}],\"c\":null}", "{\"\":1e5}" };
	static const char *const arrays[] = { "[]", "[[\"a\",\"]\"],[1]]",
		"[{\"a\":\"\\\"\"}]" };
	uint32_t i = below(3);

	return tape_str_of(
	    type == TAPE_FIELD_JSON_OBJECT ? objects[i] : arrays[i]);
}

static void
fill_array(enum tape_field_type type, void *p)
{
	size_t n = below(3) == 0 ? below(2) : below(LONGEST);
	size_t size = type == TAPE_FIELD_STRS ? sizeof(struct tape_str) : 8;
	char *v = take(n, size);
	struct tape_i64s *out = p;

	for (size_t i = 0; i < n; i++) {
		void *at = v + i * size;

		if (type == TAPE_FIELD_STRS)
			*(struct tape_str *)at = some_str();
		else if (type == TAPE_FIELD_F64S)
			*(double *)at = some_f64();
		else
			*(int64_t *)at = some_i64();
	}
	out->v = (const void *)v;
	out->n = n;
}

/* Fills required fields, and of the others as many in ten as said. */
static void
fill(const struct tape_field *f, char *base, uint32_t tenths)
{
	for (; f->name != NULL; f++) {
		void *p = base + f->offset;

		if (!f->required && f->type != TAPE_FIELD_INLINE &&
		    below(10) >= tenths)
			continue;
		switch (f->type) {
		case TAPE_FIELD_STR:
			*(struct tape_str *)p = some_str();
			break;
		case TAPE_FIELD_JSON_OBJECT:
		case TAPE_FIELD_JSON_ARRAY:
			*(struct tape_str *)p = some_json(f->type);
			break;
		case TAPE_FIELD_I64:
			*(int64_t *)p = some_i64();
			break;
		case TAPE_FIELD_F64:
			*(double *)p = some_f64();
			break;
		case TAPE_FIELD_BOOL:
			*(int8_t *)p = (int8_t)below(2);
			break;
		case TAPE_FIELD_STRS:
		case TAPE_FIELD_I64S:
		case TAPE_FIELD_F64S:
			fill_array(f->type, p);
			break;
		case TAPE_FIELD_OBJECT:
			/* One that is required must have something in it. */
			fill(f->sub, p, f->required ? 10 : tenths);
			break;
		case TAPE_FIELD_INLINE:
			fill(f->sub, p, tenths);
			break;
		}
	}
}

static bool
same_str(const struct tape_str *a, const struct tape_str *b)
{
	return a->len == b->len && (a->p == NULL) == (b->p == NULL) &&
	       (a->len == 0 || memcmp(a->p, b->p, a->len) == 0);
}

static bool
same_array(enum tape_field_type type, const void *x, const void *y)
{
	const struct tape_strs *a = x, *b = y; /* all spans are alike */

	if (a->n != b->n || (a->v == NULL) != (b->v == NULL))
		return false;
	if (type != TAPE_FIELD_STRS)
		return a->n == 0 || memcmp(a->v, b->v, a->n * 8) == 0;
	for (size_t i = 0; i < a->n; i++)
		if (!same_str(&a->v[i], &b->v[i]))
			return false;
	return true;
}

/* The first field that is not the same in both, or NULL. */
static const struct tape_field *
differ(const struct tape_field *f, const char *x, const char *y)
{
	for (; f->name != NULL; f++) {
		const void *a = x + f->offset, *b = y + f->offset;
		const struct tape_field *in = NULL;
		bool same = false;

		switch (f->type) {
		case TAPE_FIELD_STR:
		case TAPE_FIELD_JSON_OBJECT:
		case TAPE_FIELD_JSON_ARRAY:
			same = same_str(a, b);
			break;
		case TAPE_FIELD_I64:
		case TAPE_FIELD_F64:
			same = memcmp(a, b, 8) == 0 ||
			       (tape_field_absent(f, a) &&
				   tape_field_absent(f, b));
			break;
		case TAPE_FIELD_BOOL:
			same = *(const int8_t *)a == *(const int8_t *)b;
			break;
		case TAPE_FIELD_STRS:
		case TAPE_FIELD_I64S:
		case TAPE_FIELD_F64S:
			same = same_array(f->type, a, b);
			break;
		case TAPE_FIELD_OBJECT:
		case TAPE_FIELD_INLINE:
			in = differ(f->sub, a, b);
			same = in == NULL;
			break;
		}
		if (!same)
			return in != NULL ? in : f;
	}
	return NULL;
}

/* One record there and back; NULL, or what went wrong. */
static const char *
round_trip(int kind, uint32_t tenths, struct tape_record *rec,
    struct tape_buf *text, struct tape_buf *again)
{
	const struct tape_schema *s = &tape_schema_table[kind];
	char *made = take(1, s->size);
	const struct tape_field *f;
	struct tape_err err = { 0 };

	tape_schema_init((enum tape_kind)kind, made);
	fill(s->fields, made, tenths);
	tape_buf_clear(text);
	tape_buf_clear(again);
	if (tape_record_encode((enum tape_kind)kind, made, text, &err) !=
	    TAPE_OK)
		return "not encoded";
	if (tape_record_decode(rec, text->data, text->len, &err) != TAPE_OK)
		return "not decoded";
	if (rec->kind != kind)
		return "another kind";
	f = differ(s->fields, made, (const char *)&rec->u);
	if (f != NULL)
		return f->name;
	if (tape_record_encode((enum tape_kind)kind, &rec->u, again, &err) !=
		TAPE_OK ||
	    strcmp(text->data, again->data) != 0)
		return "another text";
	return NULL;
}

static void
test_kind(int kind)
{
	struct tape_record rec;
	struct tape_buf text, again;
	const char *bad = NULL;

	tape_record_init(&rec);
	tape_buf_init(&text, TAPE_CAP_LINE);
	tape_buf_init(&again, TAPE_CAP_LINE);
	for (uint32_t i = 0; i < ROUNDS && bad == NULL; i++) {
		bad = round_trip(kind, i % 11, &rec, &text, &again);
		tape_arena_reset(&arena);
	}
	ok(bad == NULL, "%s there and back", tape_schema_table[kind].kind);
	if (bad != NULL)
		printf("# %s: %.1000s\n", bad, text.data);
	tape_buf_release(&text);
	tape_buf_release(&again);
	tape_record_release(&rec);
}

/* Members in reverse order, so that every search goes round; one that is not
   known between each two. */
static void
test_order(int kind)
{
	const struct tape_schema *s = &tape_schema_table[kind];
	char *made = take(1, s->size);
	struct tape_record rec;
	struct tape_json json;
	struct tape_json_token tok;
	struct tape_buf text, turned, member;
	struct tape_err err = { 0 };
	const char *raw;
	size_t len;
	int n = 0;

	tape_record_init(&rec);
	tape_json_init(&json);
	tape_buf_init(&text, TAPE_CAP_LINE);
	tape_buf_init(&turned, TAPE_CAP_LINE);
	tape_buf_init(&member, TAPE_CAP_LINE);
	tape_schema_init((enum tape_kind)kind, made);
	fill(s->fields, made, 10);
	if (tape_record_encode((enum tape_kind)kind, made, &text, &err) !=
	    TAPE_OK)
		exit(1);
	tape_json_open(&json, text.data, text.len, TAPE_JSON_OURS);
	if (tape_json_next(&json, &tok, &err) != TAPE_OK ||
	    tape_json_next(&json, &tok, &err) != TAPE_OK)
		exit(1);
	(void)tape_buf_add_char(&turned, '}');
	while (tape_json_next(&json, &tok, &err) == TAPE_OK &&
	       tok.type != TAPE_JSON_OBJECT_END) {
		tape_buf_clear(&member);
		(void)tape_buf_add_fmt(&member,
		    ",\"new%d\":[{}],\"%.*s\":", ++n, (int)tok.key_len,
		    tok.key);
		if (tape_json_skip(&json, &raw, &len, &err) != TAPE_OK)
			exit(1);
		(void)tape_buf_add(&member, raw, len);
		(void)tape_buf_add(&member, turned.data, turned.len);
		tape_buf_clear(&turned);
		(void)tape_buf_add(&turned, member.data, member.len);
	}
	tape_buf_clear(&member);
	(void)tape_buf_add_fmt(
	    &member, "{\"kind\":\"%s\"%s", s->kind, turned.data);
	is_int(tape_record_decode(&rec, member.data, member.len, &err), TAPE_OK,
	    "%s with %d members the other way round %s", s->kind, n, err.text);
	ok(differ(s->fields, made, (const char *)&rec.u) == NULL,
	    "is the same");
	tape_buf_release(&text);
	tape_buf_release(&turned);
	tape_buf_release(&member);
	tape_json_release(&json);
	tape_record_release(&rec);
	tape_arena_reset(&arena);
}

/* Encoding and decoding fail as long as memory does, and leave nothing. */
static void
test_no_memory(int kind)
{
	const struct tape_schema *s = &tape_schema_table[kind];
	char *made = take(1, s->size);
	enum tape_status st = TAPE_E_NOMEM;
	struct tape_record rec;
	struct tape_buf text;
	uint64_t n, encodes = 0;
	bool clean = true;

	tape_schema_init((enum tape_kind)kind, made);
	fill(s->fields, made, 10);
	for (n = 1; st == TAPE_E_NOMEM && n < 200; n++) {
		struct tape_err err = { 0 };

		encodes = n - 1;
		tape_buf_init(&text, TAPE_CAP_LINE);
		(void)tape_mem_fail_at(n);
		st =
		    tape_record_encode((enum tape_kind)kind, made, &text, &err);
		(void)tape_mem_fail_at(0);
		clean = clean && (st == TAPE_OK || text.len == 0);
		if (st == TAPE_E_NOMEM)
			tape_buf_release(&text);
	}
	ok(st == TAPE_OK && encodes > 0 && clean,
	    "%s is encoded after %d failures", s->kind, (int)encodes);
	for (n = 1, st = TAPE_E_NOMEM; st == TAPE_E_NOMEM && n < 200; n++) {
		struct tape_err err = { 0 };

		tape_record_init(&rec);
		(void)tape_mem_fail_at(n);
		st = tape_record_decode(&rec, text.data, text.len, &err);
		(void)tape_mem_fail_at(0);
		if (st == TAPE_OK)
			clean = differ(s->fields, made, (const char *)&rec.u) ==
				NULL;
		tape_record_release(&rec);
	}
	ok(st == TAPE_OK && n > 2 && clean, "and decoded after %d", (int)n - 2);
	tape_buf_release(&text);
	tape_arena_reset(&arena);
}

int
main(void)
{
	tape_rng_init(&rng, 20260301, 0, 0, 0);
	for (int k = 0; k < TAPE_KIND_COUNT; k++)
		test_kind(k);
	for (int k = 0; k < TAPE_KIND_COUNT; k++)
		test_order(k);
	for (int k = 0; k < TAPE_KIND_COUNT; k++)
		test_no_memory(k);
	tape_arena_release(&arena);
	return done_testing();
}
