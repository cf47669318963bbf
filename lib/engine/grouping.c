/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/grouping.h"

#include "base/mem.h"
#include "base/num.h"
#include "codec/json_write.h"

#include <string.h>

#define LABELS_CAP ((size_t)1 << 20)
#define NAME_ROOM  128

/* A value found in an object. */
struct found {
	enum tape_json_type type; /* TAPE_JSON_END: none */
	double num;
	struct tape_str raw;
	struct tape_str text; /* of a string, unescaped */
};

enum tape_status
tape_grouping_init(
    struct tape_grouping *g, const char *names, struct tape_err *err)
{
	memset(g, 0, sizeof(*g));
	tape_json_init(&g->outer);
	tape_json_init(&g->inner);
	tape_buf_init(&g->joined, LABELS_CAP);
	tape_buf_init(&g->joined_of, LABELS_CAP);
	tape_buf_init(&g->key, LABELS_CAP);
	while (names != NULL) {
		struct tape_str name = { names, strcspn(names, ",") };

		if (name.len == 0 || name.len >= NAME_ROOM)
			return tape_err_set(err, TAPE_E_USAGE,
			    "a label has a name of 1 to %d bytes",
			    NAME_ROOM - 1);
		for (size_t i = 0; i < g->n; i++)
			if (tape_str_equal(g->names[i], name))
				return tape_err_set(err, TAPE_E_USAGE,
				    "label '%.*s' is named twice",
				    tape_str_shown(name, 64), name.p);
		if (g->n == TAPE_GROUPING_NAMES)
			return tape_err_set(err, TAPE_E_USAGE,
			    "more than %d labels", TAPE_GROUPING_NAMES);
		g->names[g->n++] = name;
		names = names[name.len] == ',' ? names + name.len + 1 : NULL;
	}
	return TAPE_OK;
}

void
tape_grouping_release(struct tape_grouping *g)
{
	tape_json_release(&g->outer);
	tape_json_release(&g->inner);
	tape_buf_release(&g->joined);
	tape_buf_release(&g->joined_of);
	tape_buf_release(&g->key);
	tape_arena_release(&g->arena);
	g->n = 0;
}

void
tape_grouping_restart(struct tape_grouping *g)
{
	g->valid = false;
}

/* The next member; END at the object's end, with its whole source in raw. */
static enum tape_status
next_member(struct tape_json *r, struct tape_json_token *tok,
    struct tape_str *raw, struct tape_err *err)
{
	enum tape_status st = tape_json_next(r, tok, err);

	if (st != TAPE_OK)
		return st;
	raw->p = tok->raw;
	raw->len = tok->raw_len;
	if (tok->type == TAPE_JSON_OBJECT || tok->type == TAPE_JSON_ARRAY)
		return tape_json_skip(r, &raw->p, &raw->len, err);
	return TAPE_OK;
}

static enum tape_status
open_labels(struct tape_json *r, struct tape_str labels, struct tape_err *err)
{
	struct tape_json_token tok;

	tape_json_open(r, labels.p, labels.len, TAPE_JSON_OURS);
	if (tape_json_expect(r, TAPE_JSON_OBJECT, &tok, NULL) != TAPE_OK)
		return tape_err_set(
		    err, TAPE_E_FORMAT, "labels are not an object");
	return TAPE_OK;
}

/* The member of that name; the spans of out are in r and its text. */
static enum tape_status
find(struct tape_json *r, struct tape_str labels, struct tape_str name,
    struct found *out, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st = open_labels(r, labels, err);

	memset(out, 0, sizeof(*out));
	while (st == TAPE_OK) {
		st = next_member(r, &tok, &out->raw, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		if (tok.key_len != name.len ||
		    memcmp(tok.key, name.p, name.len) != 0)
			continue;
		out->type = tok.type;
		out->num = tok.num;
		if (tok.type == TAPE_JSON_STRING)
			out->text = tape_str_make(tok.str, tok.len);
		return TAPE_OK;
	}
	out->type = TAPE_JSON_END;
	return st;
}

/* Copies the members of labels; those that also stand in without are left. */
static enum tape_status
copy_members(struct tape_grouping *g, struct tape_json_writer *w,
    struct tape_str labels, struct tape_str without, struct tape_err *err)
{
	struct tape_json_token tok;
	struct tape_str raw;
	struct found twin;
	enum tape_status st = open_labels(&g->outer, labels, err);

	while (st == TAPE_OK) {
		const char *name;

		st = next_member(&g->outer, &tok, &raw, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		name = tape_arena_dup(&g->arena, tok.key, tok.key_len);
		if (name == NULL)
			return tape_err_nomem(err);
		twin.type = TAPE_JSON_END;
		if (without.p != NULL)
			st = find(
			    &g->inner, without, tape_str_of(name), &twin, err);
		if (st == TAPE_OK && twin.type == TAPE_JSON_END)
			tape_json_write_raw(w, name, raw.p, raw.len);
	}
	return st;
}

static enum tape_status
join(struct tape_grouping *g, struct tape_str a, struct tape_str b,
    struct tape_err *err)
{
	struct tape_json_writer w;
	enum tape_status st;

	tape_arena_reset(&g->arena);
	tape_buf_clear(&g->joined);
	tape_buf_clear(&g->joined_of);
	(void)tape_buf_add(&g->joined_of, b.p, b.len);
	tape_json_write_init(&w, &g->joined);
	tape_json_write_object(&w, NULL);
	st = copy_members(g, &w, a, b, err);
	if (st == TAPE_OK)
		st = copy_members(g, &w, b, tape_str_make(NULL, 0), err);
	tape_json_write_object_end(&w);
	if (st == TAPE_OK)
		st = tape_json_write_finish(&w, err);
	return st == TAPE_OK ? tape_buf_status(&g->joined_of, err) : st;
}

enum tape_status
tape_grouping_join(struct tape_grouping *g, struct tape_str run_labels,
    struct tape_str request_labels, struct tape_str *out, struct tape_err *err)
{
	enum tape_status st;

	if (run_labels.p == NULL || request_labels.p == NULL) {
		*out = run_labels.p == NULL ? request_labels : run_labels;
		return TAPE_OK;
	}
	/* The labels of neighbours are mostly the same. */
	if (!g->valid || g->joined_of.len != request_labels.len ||
	    memcmp(g->joined_of.data, request_labels.p, request_labels.len) !=
		0) {
		g->valid = false;
		st = join(g, run_labels, request_labels, err);
		if (st != TAPE_OK)
			return st;
		g->valid = true;
	}
	*out = tape_str_make(g->joined.data, g->joined.len);
	return TAPE_OK;
}

/* A field of the run instead of a label. */
static void
write_field(
    struct tape_json_writer *w, const char *name, const struct tape_run *run)
{
	if (run == NULL)
		return;
	if (strcmp(name, "arm") == 0 && run->arm.p != NULL)
		tape_json_write_str(w, name, run->arm.p, run->arm.len);
	else if (strcmp(name, "model") == 0 && run->model.p != NULL)
		tape_json_write_str(w, name, run->model.p, run->model.len);
	else if (strcmp(name, "round") == 0 && run->round != TAPE_ABSENT_I64)
		tape_json_write_i64(w, name, run->round);
	else if (strcmp(name, "concurrency") == 0 &&
		 run->concurrency != TAPE_ABSENT_I64)
		tape_json_write_i64(w, name, run->concurrency);
	else if (strcmp(name, "rate_per_s") == 0 && !isnan(run->rate_per_s))
		tape_json_write_double(w, name, run->rate_per_s);
}

enum tape_status
tape_grouping_key(struct tape_grouping *g, struct tape_str labels,
    const struct tape_run *run, struct tape_str *out, struct tape_err *err)
{
	struct tape_json_writer w;
	struct found found = { .type = TAPE_JSON_END };
	enum tape_status st = TAPE_OK;

	*out = tape_str_make(NULL, 0);
	if (g->n == 0)
		return TAPE_OK;
	tape_buf_clear(&g->key);
	tape_json_write_init(&w, &g->key);
	tape_json_write_object(&w, NULL);
	for (size_t i = 0; i < g->n && st == TAPE_OK; i++) {
		const size_t before = g->key.len;
		char name[NAME_ROOM];

		memcpy(name, g->names[i].p, g->names[i].len);
		name[g->names[i].len] = '\0';
		if (labels.p != NULL)
			st = find(&g->inner, labels, g->names[i], &found, err);
		if (st == TAPE_OK && found.type != TAPE_JSON_END)
			tape_json_write_raw(
			    &w, name, found.raw.p, found.raw.len);
		else if (st == TAPE_OK)
			write_field(&w, name, run);
		g->seen[i] = g->seen[i] || g->key.len > before;
	}
	tape_json_write_object_end(&w);
	if (st == TAPE_OK)
		st = tape_json_write_finish(&w, err);
	*out = tape_str_make(g->key.data, g->key.len);
	return st;
}

/* A number, also one that was put into a string. */
static bool
as_number(const struct found *f, double *out)
{
	char text[32];

	*out = f->num;
	if (f->type == TAPE_JSON_INT || f->type == TAPE_JSON_DOUBLE)
		return true;
	if (f->type != TAPE_JSON_STRING || f->text.len >= sizeof(text))
		return false;
	memcpy(text, f->text.p, f->text.len);
	text[f->text.len] = '\0';
	return tape_num_double(text, -1e300, 1e300, out, NULL) == TAPE_OK;
}

static int
compare_bytes(struct tape_str a, struct tape_str b)
{
	const size_t n = a.len < b.len ? a.len : b.len;
	const int c = n == 0 ? 0 : memcmp(a.p, b.p, n);

	return c != 0 ? c : (a.len > b.len) - (a.len < b.len);
}

static int
compare_found(const struct found *a, const struct found *b)
{
	double x = 0, y = 0;
	const bool number_a = as_number(a, &x), number_b = as_number(b, &y);

	if (a->type == TAPE_JSON_END || b->type == TAPE_JSON_END)
		return (a->type == TAPE_JSON_END) - (b->type == TAPE_JSON_END);
	if (number_a && number_b)
		return (x > y) - (x < y);
	if (number_a != number_b)
		return number_a ? -1 : 1;
	return compare_bytes(a->raw, b->raw);
}

int
tape_grouping_compare(
    struct tape_grouping *g, struct tape_str a, struct tape_str b)
{
	for (size_t i = 0; i < g->n; i++) {
		struct found x, y;
		int c;

		if (find(&g->outer, a, g->names[i], &x, NULL) != TAPE_OK ||
		    find(&g->inner, b, g->names[i], &y, NULL) != TAPE_OK)
			return 0;
		c = compare_found(&x, &y);
		if (c != 0)
			return c;
	}
	return compare_bytes(a, b);
}
