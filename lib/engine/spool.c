/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The side of whoever takes requests. */
#include "engine/spool.h"

#include "base/cond.h"
#include "base/mem.h"
#include "engine/spool_impl.h"

#include <string.h>

static enum tape_status
open_locks(struct tape_spool *s, struct tape_err *err)
{
	int rc = tape_cond_init(&s->moved);

	if (rc != 0)
		return tape_err_sys(err, rc, "cannot set up a trace");
	/* On Linux these cannot fail. */
	(void)pthread_mutex_init(&s->lock, NULL);
	(void)pthread_cond_init(&s->room, NULL);
	return TAPE_OK;
}

enum tape_status
tape_spool_open(struct tape_spool **out, const char *dir, struct tape_err *err)
{
	struct tape_spool *s = tape_mem_calloc(1, sizeof(*s));
	enum tape_status st;

	if (s == NULL)
		return tape_err_nomem(err);
	st = open_locks(s, err);
	if (st != TAPE_OK) {
		tape_mem_free(s);
		return st;
	}
	s->wake_fd = -1;
	tape_vocab_set_init(&s->vocabs);
	tape_record_init(&s->fill.rec);
	tape_buf_init(&s->take.line, TAPE_CAP_LINE);
	tape_spool_file_init(&s->lines);
	tape_spool_file_init(&s->index);
	s->fill.hash = TAPE_HASH_START;
	st = tape_spool_file_open(&s->lines, dir, err);
	if (st == TAPE_OK)
		st = tape_spool_file_open(&s->index, dir, err);
	if (st != TAPE_OK) {
		tape_spool_free(s);
		return st;
	}
	*out = s;
	return TAPE_OK;
}

void
tape_spool_free(struct tape_spool *s)
{
	if (s == NULL)
		return;
	tape_spool_stop(s);
	tape_record_release(&s->fill.rec);
	tape_recent_release(&s->fill.ids);
	tape_mem_free(s->fill.after);
	tape_mem_free(s->fill.chains);
	tape_arena_release(&s->fill.arena);
	tape_buf_release(&s->take.line);
	tape_mem_free(s->take.after);
	tape_mem_free(s->take.vocabs.v);
	tape_vocab_set_release(&s->vocabs);
	tape_spool_file_release(&s->lines);
	tape_spool_file_release(&s->index);
	(void)pthread_cond_destroy(&s->room);
	(void)pthread_cond_destroy(&s->moved);
	(void)pthread_mutex_destroy(&s->lock);
	tape_mem_free(s);
}

/* Vocabularies stay where they are; the list of them may move. */
static enum tape_status
sync_vocabs(struct tape_spool *s, struct tape_err *err)
{
	struct tape_vocab_set *v = &s->take.vocabs;
	void *p = v->v;

	if (v->n == s->vocabs.n)
		return TAPE_OK;
	if (tape_mem_grow(&p, &v->cap, s->vocabs.n, sizeof(*v->v)) != 0)
		return tape_err_nomem(err);
	v->v = p;
	memcpy(v->v, s->vocabs.v, s->vocabs.n * sizeof(*v->v));
	v->n = s->vocabs.n;
	return TAPE_OK;
}

enum tape_status
tape_spool_sync(struct tape_spool *s, struct tape_err *err)
{
	enum tape_status st = sync_vocabs(s, err);

	s->take.info = s->info;
	if (st != TAPE_OK || s->state != SPOOL_FAILED || s->streamed)
		return st;
	if (err != NULL && err->status == TAPE_OK)
		*err = s->err;
	return s->err.status;
}

/* With the lock held: what there is to say of a place. */
static enum tape_status
look(struct tape_spool *s, uint64_t index, bool *there, struct tape_err *err)
{
	*there = index < s->info.requests;
	if (*there)
		return TAPE_OK;
	if (s->state == SPOOL_ENDED)
		return TAPE_EOF;
	if (s->state == SPOOL_READING) {
		s->hungry = true;
		return TAPE_OK;
	}
	if (err != NULL && err->status == TAPE_OK)
		*err = s->err;
	return s->err.status;
}

enum tape_status
tape_spool_look(
    struct tape_spool *s, uint64_t index, bool *there, struct tape_err *err)
{
	enum tape_status st;

	(void)pthread_mutex_lock(&s->lock);
	s->take.info = s->info;
	if (index > s->wanted)
		s->wanted = index;
	if (s->take.offset > s->wanted_offset)
		s->wanted_offset = s->take.offset;
	st = look(s, index, there, err);
	if (sync_vocabs(s, err) != TAPE_OK)
		st = TAPE_E_NOMEM;
	tape_spool_wake(s);
	(void)pthread_mutex_unlock(&s->lock);
	return st;
}

void
tape_spool_notify(struct tape_spool *s, void (*fn)(void *arg), void *arg)
{
	(void)pthread_mutex_lock(&s->lock);
	s->notify = fn;
	s->notify_arg = arg;
	(void)pthread_mutex_unlock(&s->lock);
}

const struct tape_spool_info *
tape_spool_info(const struct tape_spool *s)
{
	return &s->take.info;
}

struct tape_strs
tape_spool_chains(const struct tape_spool *s)
{
	struct tape_strs v = { s->fill.chains, s->fill.chains_n };

	return v;
}

const struct tape_vocab_set *
tape_spool_vocabs(const struct tape_spool *s)
{
	return &s->take.vocabs;
}

/* The line of a row, and the places behind it. */
static enum tape_status
read_row(
    struct tape_spool *s, const struct spool_row *row, struct tape_err *err)
{
	struct spool_taker *t = &s->take;
	enum tape_status st;

	tape_buf_clear(&t->line);
	if (tape_buf_reserve(&t->line, row->len) != TAPE_OK)
		return tape_buf_status(&t->line, err);
	if (tape_mem_grow((void **)&t->after, &t->after_cap, row->after_n,
		sizeof(*t->after)) != 0)
		return tape_err_nomem(err);
	st = tape_spool_file_read(
	    &s->lines, row->offset, t->line.data, row->len, err);
	if (st == TAPE_OK && row->after_n > 0)
		st = tape_spool_file_read(&s->lines, row->offset + row->len,
		    t->after, row->after_n * sizeof(*t->after), err);
	t->offset = row->offset;
	return st;
}

enum tape_status
tape_spool_read(struct tape_spool *s, uint64_t index, struct tape_record *rec,
    struct tape_spool_entry *entry, struct tape_err *err)
{
	struct spool_row row = { 0 };
	enum tape_status st = tape_spool_file_read(
	    &s->index, index * sizeof(row), &row, sizeof(row), err);

	if (st == TAPE_OK)
		st = read_row(s, &row, err);
	if (st == TAPE_OK)
		st = tape_record_decode(rec, s->take.line.data, row.len, err);
	*entry = (struct tape_spool_entry){ s->take.after, row.after_n };
	return st;
}
