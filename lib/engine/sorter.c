/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/sorter.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Of all runs together, when they are read. */
#define READ_BYTES ((size_t)32 << 20)
#define READ_LEAST ((size_t)4 << 10)

/* What stands before a line in the file. */
struct head {
	struct tape_sorter_key key;
	uint64_t len;
};

struct tape_sorter_run {
	struct tape_runfile_cursor cursor;
	struct tape_sorter_key key; /* of the line in hand */
	struct tape_str line;
};

void
tape_sorter_init(struct tape_sorter *s, size_t most, const char *dir)
{
	memset(s, 0, sizeof(*s));
	s->most = most;
	tape_buf_init(&s->lines, SIZE_MAX / 4);
	tape_runfile_init(&s->file, dir);
}

void
tape_sorter_release(struct tape_sorter *s)
{
	for (size_t i = 0; s->runs != NULL && i < s->run_n; i++)
		tape_runfile_cursor_release(&s->runs[i].cursor);
	tape_mem_free(s->runs);
	tape_mem_free(s->ends);
	tape_mem_free(s->items);
	tape_buf_release(&s->lines);
	tape_runfile_release(&s->file);
	memset(s, 0, sizeof(*s));
	s->file.fd = -1;
}

static int
compare(const struct tape_sorter_key *x, struct tape_str a,
    const struct tape_sorter_key *y, struct tape_str b)
{
	int order;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	order = memcmp(a.p, b.p, a.len < b.len ? a.len : b.len);
	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static struct tape_str
line_of(const struct tape_sorter *s, const struct tape_sorter_item *i)
{
	return tape_str_make(s->lines.data + i->at, i->len);
}

static int
by_key(const void *a, const void *b, void *arg)
{
	const struct tape_sorter_item *x = a, *y = b;

	return compare(&x->key, line_of(arg, x), &y->key, line_of(arg, y));
}

static void
sort(struct tape_sorter *s)
{
	bool sorted = true;

	for (size_t i = 1; i < s->n && sorted; i++)
		sorted = by_key(&s->items[i - 1], &s->items[i], s) <= 0;
	if (!sorted)
		qsort_r(s->items, s->n, sizeof(*s->items), by_key, s);
}

/* What is in memory becomes a run of the file. */
static enum tape_status
spill(struct tape_sorter *s, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (tape_mem_grow((void **)&s->ends, &s->run_cap, s->run_n + 1,
		sizeof(*s->ends)) != 0)
		return tape_err_nomem(err);
	sort(s);
	for (size_t i = 0; i < s->n && st == TAPE_OK; i++) {
		const struct tape_sorter_item *item = &s->items[i];
		struct head head = { item->key, item->len };

		st = tape_runfile_append(&s->file, &head, sizeof(head), err);
		if (st == TAPE_OK)
			st = tape_runfile_append(
			    &s->file, s->lines.data + item->at, item->len, err);
	}
	s->ends[s->run_n++] = s->file.size;
	s->n = 0;
	tape_buf_clear(&s->lines);
	return st;
}

enum tape_status
tape_sorter_add(struct tape_sorter *s, const struct tape_sorter_key *key,
    const char *line, size_t len, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (s->n > 0 &&
	    s->lines.len + len + (s->n + 1) * sizeof(*s->items) > s->most)
		st = spill(s, err);
	if (st != TAPE_OK)
		return st;
	if (tape_mem_grow(
		(void **)&s->items, &s->cap, s->n + 1, sizeof(*s->items)) != 0)
		return tape_err_nomem(err);
	s->items[s->n] = (struct tape_sorter_item){ *key, s->lines.len, len };
	if (tape_buf_add(&s->lines, line, len) != TAPE_OK)
		return tape_buf_status(&s->lines, err);
	s->n++;
	return TAPE_OK;
}

/* The next line of a run; TAPE_EOF when it has none. */
static enum tape_status
advance(struct tape_sorter_run *r, struct tape_err *err)
{
	struct head head;
	const char *p;
	enum tape_status st =
	    tape_runfile_take(&r->cursor, sizeof(head), &p, err);

	if (st != TAPE_OK)
		return st;
	memcpy(&head, p, sizeof(head));
	st = tape_runfile_take(&r->cursor, (size_t)head.len, &p, err);
	r->key = head.key;
	r->line = tape_str_make(p, (size_t)head.len);
	return st;
}

static bool
is_before(const struct tape_sorter_run *a, const struct tape_sorter_run *b)
{
	return compare(&a->key, a->line, &b->key, b->line) < 0;
}

/* Moves the run at i down to its place. */
static void
sift(struct tape_sorter *s, size_t i)
{
	for (;;) {
		size_t least = i;
		struct tape_sorter_run swap;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < s->open_n; k++)
			if (is_before(&s->runs[k], &s->runs[least]))
				least = k;
		if (least == i)
			return;
		swap = s->runs[i];
		s->runs[i] = s->runs[least];
		s->runs[least] = swap;
		i = least;
	}
}

static enum tape_status
open_runs(struct tape_sorter *s, struct tape_err *err)
{
	size_t chunk;
	enum tape_status st = spill(s, err);

	if (st == TAPE_OK)
		st = tape_runfile_flush(&s->file, err);
	if (st != TAPE_OK)
		return st;
	tape_buf_release(&s->lines);
	s->runs = tape_mem_calloc(s->run_n, sizeof(*s->runs));
	if (s->runs == NULL)
		return tape_err_nomem(err);
	chunk = READ_BYTES / s->run_n;
	if (chunk < READ_LEAST)
		chunk = READ_LEAST;
	for (size_t i = 0; i < s->run_n && st == TAPE_OK; i++) {
		struct tape_sorter_run *r = &s->runs[i];

		st = tape_runfile_cursor_open(&r->cursor, &s->file,
		    i == 0 ? 0 : s->ends[i - 1], s->ends[i], chunk, err);
		if (st == TAPE_OK)
			st = advance(r, err);
	}
	s->open_n = s->run_n;
	for (size_t i = s->open_n / 2; i > 0 && st == TAPE_OK; i--)
		sift(s, i - 1);
	return st;
}

/* The line handed out last was that of the first run. */
static enum tape_status
next_of_runs(struct tape_sorter *s, struct tape_err *err)
{
	enum tape_status st = advance(&s->runs[0], err);

	if (st == TAPE_EOF) {
		struct tape_sorter_run done = s->runs[0];

		s->runs[0] = s->runs[--s->open_n];
		s->runs[s->open_n] = done;
		st = TAPE_OK;
	}
	if (st == TAPE_OK)
		sift(s, 0);
	return st;
}

enum tape_status
tape_sorter_next(struct tape_sorter *s, struct tape_sorter_key *key,
    struct tape_str *line, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (!s->reading && s->run_n > 0)
		st = open_runs(s, err);
	else if (!s->reading)
		sort(s);
	else if (s->open_n > 0)
		st = next_of_runs(s, err);
	s->reading = true;
	if (st != TAPE_OK)
		return st;
	if (s->open_n > 0) {
		*key = s->runs[0].key;
		*line = s->runs[0].line;
		return TAPE_OK;
	}
	if (s->run_n > 0 || s->next == s->n)
		return TAPE_EOF;
	*key = s->items[s->next].key;
	*line = line_of(s, &s->items[s->next++]);
	return TAPE_OK;
}
