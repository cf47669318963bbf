/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the trace, which may still be being read, to the next request. */
#include "base/mem.h"
#include "engine/feed_impl.h"

#include <inttypes.h>

uint64_t
tape_feed_index(const struct tape_feed *f, uint64_t seq)
{
	return f->info->ended ? seq % f->info->requests : seq;
}

uint64_t
tape_feed_pass(const struct tape_feed *f, uint64_t seq)
{
	return f->info->ended ? seq / f->info->requests : 0;
}

/* The request in f->rec among others: what order has to know of it, and where
   its predecessors are in the run. */
static enum tape_status
arrange(struct tape_feed *f, struct tape_order_item *item,
    const struct tape_spool_entry *entry, enum tape_order_state *state,
    struct tape_err *err)
{
	const struct tape_request *r = &f->rec.u.request;
	uint64_t base = item->seq - tape_feed_index(f, item->seq);

	/* Nobody names a request without a session. */
	if (!f->plan.follow || r->session.p == NULL ||
	    (f->info->ended && f->info->waiting == 0))
		return TAPE_OK;
	item->named = true;
	item->delay_ns = r->delay_ns == TAPE_ABSENT_I64 ? 0 : r->delay_ns;
	if (tape_mem_grow((void **)&f->after, &f->after_cap, entry->after_n,
		sizeof(*f->after)) != 0)
		return tape_err_nomem(err);
	for (size_t i = 0; i < entry->after_n; i++)
		f->after[i] = base + entry->after[i];
	return tape_order_add(
	    f->order, item, f->after, entry->after_n, state, err);
}

/* The request in f->rec cannot be rendered: the trace ends before it. */
static enum tape_status
cut_before(struct tape_feed *f, const struct tape_err *why)
{
	struct tape_str id = f->rec.u.request.id;

	f->left = 0;
	(void)tape_err_set(&f->cut, TAPE_E_FORMAT, "request '%.*s': %s",
	    tape_str_shown(id, 64), id.p, why->text);
	return TAPE_OK;
}

static enum tape_status
make_next(struct tape_feed *f, const struct tape_order_item *item,
    struct tape_flight **flight, struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st =
	    tape_feed_make(f, item, &f->rec.u.request, flight, &why);

	if (st == TAPE_E_USAGE || st == TAPE_E_FORMAT || st == TAPE_E_LIMIT)
		return cut_before(f, &why);
	if (st != TAPE_OK && err != NULL && err->status == TAPE_OK)
		*err = why;
	return st;
}

enum tape_status
tape_feed_read_next(
    struct tape_feed *f, struct tape_flight **flight, struct tape_err *err)
{
	struct tape_order_item item = { .seq = f->next,
		.ready_ns = TAPE_ABSENT_I64 };
	enum tape_order_state state = TAPE_ORDER_READY;
	struct tape_spool_entry entry;
	enum tape_status st = tape_spool_read(
	    f->spool, tape_feed_index(f, f->next), &f->rec, &entry, err);

	if (st != TAPE_OK)
		return st;
	f->next++;
	if (f->left != UINT64_MAX)
		f->left--;
	st = arrange(f, &item, &entry, &state, err);
	if (st == TAPE_OK && state == TAPE_ORDER_READY)
		st = make_next(f, &item, flight, err);
	return st;
}

enum tape_status
tape_feed_too_few(
    enum tape_status st, uint64_t wanted, uint64_t has, struct tape_err *err)
{
	return tape_err_set(err, st,
	    "--requests %" PRIu64 " of a trace of %" PRIu64
	    ": give --loop to go over it again",
	    wanted, has);
}

/* The trace gives no more requests, or none that anybody wants. */
static void
end_trace(struct tape_feed *f)
{
	if (f->left != UINT64_MAX && f->left > 0)
		(void)tape_feed_too_few(TAPE_E_FORMAT, f->next + f->left,
		    f->info->requests, &f->cut);
	f->left = 0;
}

bool
tape_feed_find_next(struct tape_feed *f)
{
	bool there = false;
	enum tape_status st = TAPE_EOF;

	if (!f->info->ended || !f->plan.once || f->next < f->info->requests)
		st = tape_spool_look(
		    f->spool, tape_feed_index(f, f->next), &there, &f->cut);
	if (st == TAPE_EOF && !f->plan.once) /* its length is known now */
		st = tape_spool_look(
		    f->spool, tape_feed_index(f, f->next), &there, &f->cut);
	if (st == TAPE_EOF)
		end_trace(f);
	else if (st != TAPE_OK)
		f->left = 0;
	return there;
}
