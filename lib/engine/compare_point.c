/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_point.h"

#include "base/num.h"
#include "codec/json.h"
#include "codec/json_write.h"

#include <stdio.h>
#include <string.h>

#define TEXT_CAP  ((size_t)1 << 16)
#define NAME_ROOM 64

/* The source text of a label; absent where there is none. */
static enum tape_status
find_label(struct tape_str tags, struct tape_str name, struct tape_str *raw,
    struct tape_err *err)
{
	struct tape_json r;
	struct tape_json_token tok;
	enum tape_status st;

	*raw = tape_str_make(NULL, 0);
	if (tags.p == NULL)
		return TAPE_OK;
	tape_json_init(&r);
	tape_json_open(&r, tags.p, tags.len, TAPE_JSON_OURS);
	st = tape_json_expect(&r, TAPE_JSON_OBJECT, &tok, err);
	while (st == TAPE_OK) {
		st = tape_json_next(&r, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		if (tok.type != TAPE_JSON_OBJECT &&
		    tok.type != TAPE_JSON_ARRAY && tok.key_len == name.len &&
		    memcmp(tok.key, name.p, name.len) == 0)
			*raw = tape_str_make(tok.raw, tok.raw_len);
		st = tape_json_skip(&r, NULL, NULL, err);
	}
	tape_json_release(&r);
	return st;
}

/* What the load itself says; false when it does not. */
static bool
add_condition(struct tape_json_writer *w,
    const struct tape_compare_conditions *c, const char *name)
{
	if (strcmp(name, "concurrency") == 0 &&
	    c->concurrency != TAPE_ABSENT_I64)
		tape_json_write_i64(w, name, c->concurrency);
	else if (strcmp(name, "rate") == 0 && !isnan(c->rate_per_s))
		tape_json_write_double(w, name, c->rate_per_s);
	else if (strcmp(name, "model") == 0 && c->model.p != NULL)
		tape_json_write_str(w, name, c->model.p, c->model.len);
	else
		return false;
	return true;
}

static enum tape_status
add_name(struct tape_json_writer *w, const struct tape_compare_run *run,
    struct tape_str name, bool *any, struct tape_err *err)
{
	char key[NAME_ROOM];
	struct tape_str raw;
	enum tape_status st;

	if (name.len == 0 || name.len >= sizeof(key))
		return tape_err_set(
		    err, TAPE_E_USAGE, "--by: names of labels, as isl,osl");
	memcpy(key, name.p, name.len);
	key[name.len] = '\0';
	st = find_label(run->tags, name, &raw, err);
	if (st != TAPE_OK)
		return st;
	if (raw.p != NULL)
		tape_json_write_raw(w, key, raw.p, raw.len);
	*any |= raw.p != NULL || add_condition(w, &run->conditions, key);
	return TAPE_OK;
}

/* The point of one run, appended to out. */
static enum tape_status
print_point(const struct tape_compare_run *run, const char *names,
    struct tape_buf *out, struct tape_err *err)
{
	struct tape_json_writer w;
	enum tape_status st = TAPE_OK;
	bool any = false;

	tape_json_write_init(&w, out);
	tape_json_write_object(&w, NULL);
	for (const char *p = names; st == TAPE_OK; p++) {
		size_t n = strcspn(p, ",");

		st = add_name(&w, run, tape_str_make(p, n), &any, err);
		p += n;
		if (*p == '\0')
			break;
	}
	tape_json_write_object_end(&w);
	if (st == TAPE_OK && !any)
		return tape_err_set(err, TAPE_E_DATA,
		    "--by %s: a run has no such label", names);
	return st == TAPE_OK ? tape_json_write_finish(&w, err) : st;
}

enum tape_status
tape_compare_find_points(struct tape_compare_set *set, const char *names,
    struct tape_str *point, struct tape_err *err)
{
	struct tape_buf text;
	enum tape_status st = TAPE_OK;

	tape_buf_init(&text, TEXT_CAP);
	for (size_t i = 0; i < set->run_count && st == TAPE_OK; i++) {
		tape_buf_clear(&text);
		st = print_point(&set->runs[i], names, &text, err);
		if (st == TAPE_OK)
			st = tape_compare_keep(set,
			    tape_str_make(text.data, text.len), &point[i], err);
	}
	tape_buf_release(&text);
	return st;
}

/* The first number in a point, not that of a name; infinite without one. */
static double
first_number(struct tape_str point)
{
	char text[NAME_ROOM];

	for (size_t i = 1; i < point.len; i++) {
		size_t n = 0;
		double v;

		if (point.p[i - 1] != ':')
			continue;
		while (i + n < point.len && n + 1 < sizeof(text) &&
		       strchr("+-.0123456789eE", point.p[i + n]) != NULL) {
			text[n] = point.p[i + n];
			n++;
		}
		text[n] = '\0';
		if (n > 0 &&
		    tape_num_double(text, -1e300, 1e300, &v, NULL) == TAPE_OK)
			return v;
	}
	return HUGE_VAL;
}

static int
order(struct tape_str a, struct tape_str b)
{
	double x = first_number(a), y = first_number(b);

	if (x != y)
		return x < y ? -1 : 1;
	return tape_compare_text_order(a, b);
}

enum tape_status
tape_compare_list_points(const struct tape_str *point, size_t n,
    struct tape_str list[TAPE_COMPARE_POINTS_MAX], size_t *count,
    struct tape_err *err)
{
	*count = 0;
	for (size_t i = 0; i < n; i++) {
		size_t at = 0;

		while (at < *count && order(list[at], point[i]) < 0)
			at++;
		if (at < *count && order(list[at], point[i]) == 0)
			continue;
		if (*count == TAPE_COMPARE_POINTS_MAX)
			return tape_err_set(err, TAPE_E_USAGE,
			    "--by makes more than %d points",
			    TAPE_COMPARE_POINTS_MAX);
		memmove(
		    &list[at + 1], &list[at], (*count - at) * sizeof(list[0]));
		list[at] = point[i];
		++*count;
	}
	return TAPE_OK;
}

const char *
tape_compare_point_text(struct tape_str point, char *dst, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < point.len && n + 1 < size; i++) {
		char c = point.p[i];

		if (strchr("{}\"", c) != NULL)
			continue;
		if (c == ',' && n + 2 < size)
			dst[n++] = ',';
		dst[n++] = c == ':' || c == ',' ? ' ' : c;
	}
	dst[n] = '\0';
	return dst;
}
