/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/failures.h"

#include "base/mem.h"
#include "base/redact.h"
#include "base/utf8.h"
#include "engine/causes.h"
#include "record/schema.h"

#include <stdlib.h>

void
tape_failures_release(struct tape_failures *f)
{
	tape_mem_free(f->v);
	memset(f, 0, sizeof(*f));
}

static void
copy_cut(char *dst, size_t size, struct tape_str s)
{
	size_t n = s.len;

	if (s.p == NULL)
		n = 0;
	else if (n >= size)
		n = tape_utf8_cut(s.p, size - 1);
	if (n > 0)
		memcpy(dst, s.p, n);
	dst[n] = '\0';
}

static bool
is_of(const struct tape_failures_row *row, const struct tape_result *r)
{
	char class[TAPE_FAILURES_NAME], cause[TAPE_FAILURES_NAME];

	copy_cut(class, sizeof(class), r->error.class);
	copy_cut(cause, sizeof(cause), r->error.cause);
	return strcmp(row->class, class) == 0 && strcmp(row->cause, cause) == 0;
}

/* The message of the first one, without what might be a secret. */
static enum tape_status
add_example(struct tape_failures_row *row, const struct tape_result *r,
    struct tape_err *err)
{
	struct tape_buf text;
	enum tape_status st;

	copy_cut(row->id, sizeof(row->id), r->id);
	row->status = r->status;
	if (r->error.message.p == NULL)
		return TAPE_OK;
	tape_buf_init(&text, TAPE_CAP_LINE);
	(void)tape_redact_text(r->error.message, &text);
	st = tape_buf_status(&text, err);
	if (st == TAPE_OK)
		copy_cut(row->message, sizeof(row->message),
		    tape_str_make(text.data, text.len));
	tape_buf_release(&text);
	return st;
}

enum tape_status
tape_failures_note(struct tape_failures *f, const struct tape_result *r,
    size_t *group, struct tape_err *err)
{
	struct tape_failures_row *row;
	size_t i;

	for (i = 0; i < f->n; i++)
		if (is_of(&f->v[i], r))
			break;
	if (i == TAPE_FAILURES_MAX)
		i--;
	*group = i;
	if (i < f->n)
		return TAPE_OK;
	if (f->v == NULL)
		f->v = tape_mem_calloc(TAPE_FAILURES_MAX, sizeof(*f->v));
	if (f->v == NULL)
		return tape_err_nomem(err);
	row = &f->v[i];
	f->n++;
	if (i == TAPE_FAILURES_MAX - 1) {
		copy_cut(row->class, sizeof(row->class), tape_str_of("other"));
		row->status = TAPE_ABSENT_I64;
		return TAPE_OK;
	}
	copy_cut(row->class, sizeof(row->class), r->error.class);
	copy_cut(row->cause, sizeof(row->cause), r->error.cause);
	return add_example(row, r, err);
}

static struct tape_str
or_absent(const char *text)
{
	const struct tape_str s = tape_str_of(text);

	return s.len == 0 ? tape_str_make(NULL, 0) : s;
}

static void
fill(const struct tape_failures_row *row, struct tape_failure_group *g)
{
	const struct tape_cause *why;

	g->class = tape_str_of(row->class);
	g->cause = or_absent(row->cause);
	g->n = (int64_t)row->count;
	g->status = row->status;
	g->id = or_absent(row->id);
	g->message = or_absent(row->message);
	why = tape_cause_find(g->class, g->cause);
	if (why != NULL) {
		g->meaning = tape_str_of(why->meaning);
		g->advice = tape_str_of(why->advice);
	}
}

/* Stable: where counts are equal, what came first stands first. */
static int
by_count(const void *a, const void *b)
{
	const struct tape_failures_row *const *px = a, *const *py = b;
	const struct tape_failures_row *x = *px, *y = *py;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x < y ? -1 : x > y;
}

enum tape_status
tape_failures_make(const struct tape_failures *f,
    const struct tape_failures_run *run, struct tape_failures_set *out,
    struct tape_err *err)
{
	const struct tape_failures_row *order[TAPE_FAILURES_MAX];
	size_t m = 0;

	out->n = 0;
	out->v = NULL;
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].count > 0)
			order[m++] = &f->v[i];
	if (m == 0)
		return TAPE_OK;
	qsort(order, m, sizeof(*order), by_count);
	out->v = tape_mem_calloc(m, sizeof(*out->v));
	if (out->v == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < m; i++) {
		struct tape_failure_group *g = &out->v[i];

		tape_schema_init(TAPE_KIND_FAILURE, g);
		g->run = run->run;
		g->arm = run->arm;
		g->of = (int64_t)run->requests;
		fill(order[i], g);
	}
	out->n = m;
	return TAPE_OK;
}

void
tape_failures_set_release(struct tape_failures_set *set)
{
	tape_mem_free(set->v);
	memset(set, 0, sizeof(*set));
}
