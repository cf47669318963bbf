/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading the trace, record by record. */
#include "base/mem.h"
#include "engine/idmap.h"
#include "engine/spool_impl.h"

/* With the lock held. */
static void
copy_info(struct tape_spool *s)
{
	s->info = s->fill.info;
	s->info.head = s->head_done ? s->head : s->info.requests;
	s->info.streamed = s->streamed;
	s->bytes = tape_spool_file_size(&s->lines);
}

void
tape_spool_end_head(struct tape_spool *s, uint64_t requests, bool streamed)
{
	if (s->head_done)
		return;
	s->head_done = true;
	s->head = requests;
	s->streamed = streamed;
	s->info.head = requests;
	s->info.streamed = streamed;
	(void)pthread_cond_signal(&s->moved);
}

/* With the lock held. */
static void
feed_hungry(struct tape_spool *s)
{
	if (s->hungry && s->notify != NULL)
		s->notify(s->notify_arg);
	s->hungry = false;
}

/* With the lock held: the head start need not be longer. */
static bool
is_full(const struct tape_spool *s)
{
	return s->info.requests >= s->least &&
	       (s->info.requests >= TAPE_SPOOL_HEAD ||
		   s->bytes >= TAPE_SPOOL_HEAD_BYTES);
}

/* The trace is over, or cannot be read. */
static void
finish(struct tape_spool *s, enum spool_state state)
{
	(void)pthread_mutex_lock(&s->lock);
	copy_info(s);
	s->state = state;
	tape_spool_end_head(s, s->info.requests, false);
	feed_hungry(s);
	(void)pthread_mutex_unlock(&s->lock);
}

/* A request is in the files. */
static void
publish(struct tape_spool *s)
{
	bool full;

	(void)pthread_mutex_lock(&s->lock);
	/* The first request behind the head start shows that it is over. */
	full = is_full(s);
	copy_info(s);
	if (s->first_ns == 0) {
		s->first_ns = tape_clock_now_ns(&tape_clock_system);
		(void)pthread_cond_signal(&s->moved);
	}
	if (full)
		tape_spool_end_head(s, s->info.requests - 1, true);
	if (s->wanted < s->info.requests)
		feed_hungry(s);
	(void)pthread_mutex_unlock(&s->lock);
}

/* The line, and the places of the request's predecessors. */
static enum tape_status
add_line(struct tape_spool *s, struct tape_str line, struct tape_err *err)
{
	struct spool_filler *f = &s->fill;
	struct spool_row row = { tape_spool_file_size(&s->lines),
		(uint32_t)line.len, (uint32_t)f->after_n };
	enum tape_status st;

	f->hash = tape_hash_add(f->hash, line.p, line.len);
	f->hash = tape_hash_add(f->hash, "\n", 1);
	st = tape_spool_file_append(&s->lines, line.p, line.len, err);
	if (st == TAPE_OK && f->after_n > 0)
		st = tape_spool_file_append(
		    &s->lines, f->after, f->after_n * sizeof(*f->after), err);
	if (st == TAPE_OK)
		st = tape_spool_file_append(&s->index, &row, sizeof(row), err);
	return st;
}

static enum tape_status
add_request(struct tape_spool *s, struct tape_err *err)
{
	struct spool_filler *f = &s->fill;
	const struct tape_request *r = &f->rec.u.request;
	uint64_t key = tape_idmap_key(r->id.p, r->id.len);
	uint64_t session =
	    r->session.p == NULL
		? 0
		: tape_idmap_key(r->session.p, r->session.len) | 1;
	enum tape_status st =
	    tape_spool_check(f, &s->vocabs, r, key, session, err);

	if (st == TAPE_OK)
		st = tape_recent_add(&f->ids, key, session, err);
	if (st == TAPE_OK)
		st = add_line(s, f->rec.line, err);
	if (st != TAPE_OK)
		return st;
	f->info.requests++;
	f->info.waiting += r->after.n > 0;
	publish(s);
	return TAPE_OK;
}

static enum tape_status
add_vocab(struct tape_spool *s, struct tape_err *err)
{
	struct spool_filler *f = &s->fill;
	const struct tape_vocab *v = &f->rec.u.vocab;
	enum tape_status st;

	f->hash = tape_hash_add(f->hash, f->rec.line.p, f->rec.line.len);
	f->hash = tape_hash_add(f->hash, "\n", 1);
	(void)pthread_mutex_lock(&s->lock);
	st = tape_vocab_set_add(&s->vocabs, v->name, v->words, v->first, err);
	(void)pthread_mutex_unlock(&s->lock);
	return st;
}

/* With the lock held: whoever ends the head start reads them then. */
static enum tape_status
add_chain(struct tape_spool *s, struct tape_err *err)
{
	struct spool_filler *f = &s->fill;
	struct tape_str from = f->rec.u.header.prov;
	void *v = f->chains;
	char *copy;

	if (s->head_done) {
		f->info.late_segments++;
		return TAPE_OK;
	}
	copy = tape_arena_dup(&f->arena, from.p, from.len);
	if (copy == NULL || tape_mem_grow(&v, &f->chains_cap, f->chains_n + 1,
				sizeof(*f->chains)) != 0)
		return tape_err_nomem(err);
	f->chains = v;
	f->chains[f->chains_n++] = tape_str_make(copy, from.len);
	return TAPE_OK;
}

static enum tape_status
add_header(struct tape_spool *s, struct tape_err *err)
{
	enum tape_status st;

	(void)pthread_mutex_lock(&s->lock);
	st = add_chain(s, err);
	(void)pthread_mutex_unlock(&s->lock);
	return st;
}

static enum tape_status
take_record(struct tape_spool *s, struct tape_err *err)
{
	struct tape_reader *r = s->fill.reader;
	enum tape_status st = tape_reader_next(r, &s->fill.rec, err);

	if (st != TAPE_OK)
		return st;
	if (s->fill.rec.kind == TAPE_KIND_REQUEST)
		st = add_request(s, err);
	else if (s->fill.rec.kind == TAPE_KIND_VOCAB)
		st = add_vocab(s, err);
	else if (s->fill.rec.kind == TAPE_KIND_HEADER)
		st = add_header(s, err);
	if (st != TAPE_OK)
		(void)tape_err_at(
		    err, tape_reader_name(r), tape_reader_line(r));
	return st;
}

/* Nothing comes any more: is it a trace? */
static enum tape_status
conclude(struct tape_spool *s, struct tape_err *err)
{
	struct spool_filler *f = &s->fill;

	f->info.ending = tape_reader_ending(f->reader);
	(void)tape_hash_print(f->hash, f->info.hash);
	if (f->info.requests == 0) {
		(void)tape_err_set(
		    err, TAPE_E_FORMAT, "no request in the trace");
		return tape_err_at(err, tape_reader_name(f->reader), 0);
	}
	if (f->info.ending == TAPE_ENDING_FAILED && !f->partial)
		return tape_err_set(err, TAPE_E_TRUNC,
		    "making the trace failed: it is not whole");
	f->info.ended = true;
	return TAPE_OK;
}

bool
tape_spool_step(struct tape_spool *s)
{
	enum tape_status st = take_record(s, &s->err);

	if (st == TAPE_OK)
		return true;
	if (st == TAPE_EOF)
		st = conclude(s, &s->err);
	finish(s, st == TAPE_OK ? SPOOL_ENDED : SPOOL_FAILED);
	return false;
}

enum tape_status
tape_spool_fill(struct tape_spool *s, struct tape_reader *r,
    int (*interrupts)(void), struct tape_err *err)
{
	enum tape_status st;

	s->fill.reader = r;
	s->least = UINT64_MAX; /* all of it is the head start */
	while ((interrupts == NULL || interrupts() == 0) && tape_spool_step(s))
		continue;
	(void)pthread_mutex_lock(&s->lock);
	st = tape_spool_sync(s, err);
	(void)pthread_mutex_unlock(&s->lock);
	return st;
}
