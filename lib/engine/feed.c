/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/feed.h"

#include "base/mem.h"
#include "engine/feed_impl.h"

/* In the spool's thread. */
static void
on_trace(void *arg)
{
	tape_post_flag(arg, TAPE_NOTE_TRACE);
}

enum tape_status
tape_feed_open(struct tape_feed **out, struct tape_spool *spool,
    struct tape_loops *loops, struct tape_post *post,
    const struct tape_clock *clock, struct tape_err *err)
{
	struct tape_feed *f = tape_mem_calloc(1, sizeof(*f));

	if (f == NULL)
		return tape_err_nomem(err);
	f->spool = spool;
	f->loops = loops;
	f->post = post;
	f->clock = clock == NULL ? &tape_clock_system : clock;
	tape_record_init(&f->rec);
	tape_buf_init(&f->body, TAPE_CAP_REQUEST);
	tape_spool_notify(spool, on_trace, post);
	*out = f;
	return TAPE_OK;
}

static void
free_held(void *p)
{
	tape_flight_free(p);
}

static void
drop_all(struct tape_feed *f)
{
	tape_order_free(f->order, free_held);
	f->order = NULL;
	tape_flight_free(f->pending);
	f->pending = NULL;
	f->held_n = 0;
	f->held_bytes = 0;
}

void
tape_feed_free(struct tape_feed *f)
{
	if (f == NULL)
		return;
	tape_spool_notify(f->spool, NULL, NULL);
	drop_all(f);
	tape_record_release(&f->rec);
	tape_buf_release(&f->body);
	tape_spread_release(&f->spread);
	tape_mem_free(f->after);
	tape_mem_free(f);
}

bool
tape_feed_hit_parked(const struct tape_feed *f)
{
	return f->hit_parked;
}

const struct tape_err *
tape_feed_cut(const struct tape_feed *f)
{
	return &f->cut;
}

enum tape_status
tape_feed_begin(struct tape_feed *f, const struct tape_feed_plan *plan,
    struct tape_err *err)
{
	enum tape_status st;

	f->plan = *plan;
	if (f->plan.form.vocabs == NULL)
		f->plan.form.vocabs = tape_spool_vocabs(f->spool);
	f->info = tape_spool_info(f->spool);
	f->next = plan->first;
	f->left = plan->count;
	f->ahead_n = 0;
	f->ahead_bytes = 0;
	tape_spread_begin(&f->spread, tape_target_count(plan->target));
	f->stopped = false;
	f->ended = false;
	f->hit_parked = false;
	f->failure = TAPE_OK;
	tape_err_clear(&f->cut);
	drop_all(f);
	st = tape_order_open(&f->order, err);
	if (st == TAPE_OK)
		st = tape_loops_begin(f->loops, &plan->stage, err);
	return st;
}

static enum tape_status
hand_over(struct tape_feed *f, struct tape_flight *flight, struct tape_err *err)
{
	size_t bytes = flight->bytes;
	enum tape_status st = tape_loops_add(f->loops, flight, err);

	if (st != TAPE_OK) {
		tape_flight_free(flight);
		return st;
	}
	f->ahead_n++;
	f->ahead_bytes += bytes;
	return TAPE_OK;
}

static bool
has_room(const struct tape_feed *f, size_t bytes, size_t times)
{
	if (!tape_loops_room(f->loops, times))
		return false;
	if (f->ahead_n == 0)
		return true;
	return f->ahead_n <
		   times * TAPE_FEED_AHEAD * tape_loops_used(f->loops) &&
	       f->ahead_bytes + bytes <= times * TAPE_FEED_BYTES;
}

/* How long before its time what was let go is handed over. */
static int64_t
early_ns(const struct tape_feed *f)
{
	return tape_loops_tight(f->loops) ? TAPE_FEED_TIGHT_NS
					  : TAPE_FEED_EARLY_NS;
}

/* What a predecessor let go. */
static enum tape_status
feed_released(struct tape_feed *f, bool *did, struct tape_err *err)
{
	struct tape_order_item item;
	struct tape_spool_entry entry;
	struct tape_flight *flight;
	enum tape_status st = TAPE_OK;
	int64_t ready;

	if (!tape_order_peek(f->order, &ready) ||
	    ready - early_ns(f) > tape_clock_now_ns(f->clock) ||
	    !has_room(f, 0, 2))
		return TAPE_OK;
	*did = true;
	(void)tape_order_pop(f->order, &item);
	flight = item.held;
	if (flight != NULL) {
		f->held_n--;
		f->held_bytes -= flight->bytes;
		tape_feed_place(f, flight, &item);
		return hand_over(f, flight, err);
	}
	st = tape_spool_read(
	    f->spool, tape_feed_index(f, item.seq), &f->rec, &entry, err);
	if (st == TAPE_OK)
		st = tape_feed_make(f, &item, &f->rec.u.request, &flight, err);
	return st == TAPE_OK ? hand_over(f, flight, err) : st;
}

static enum tape_status
feed_next(struct tape_feed *f, bool *did, struct tape_err *err)
{
	struct tape_flight *flight = f->pending;
	enum tape_status st = TAPE_OK;

	if (flight == NULL) {
		if (f->left == 0 || !has_room(f, 0, 1))
			return TAPE_OK;
		if (tape_order_parked(f->order) >= TAPE_FEED_PARKED) {
			f->hit_parked = true;
			return TAPE_OK;
		}
		if (!tape_feed_find_next(f))
			return TAPE_OK;
		*did = true;
		st = tape_feed_read_next(f, &flight, err);
		if (st != TAPE_OK || flight == NULL)
			return st;
	}
	/* How large it is was not known before. */
	f->pending = flight;
	if (!has_room(f, flight->bytes, 1))
		return TAPE_OK;
	*did = true;
	f->pending = NULL;
	return hand_over(f, flight, err);
}

/* With nothing else to do: a body that will be needed. */
static enum tape_status
prepare(struct tape_feed *f, bool *did, struct tape_err *err)
{
	struct tape_order_item *item;
	struct tape_spool_entry entry;
	struct tape_flight *flight = NULL;
	enum tape_status st;

	if (f->held_n >= TAPE_FEED_HELD ||
	    f->held_bytes >= TAPE_FEED_HELD_BYTES)
		return TAPE_OK;
	item = tape_order_candidate(f->order);
	if (item == NULL)
		return TAPE_OK;
	*did = true;
	st = tape_spool_read(
	    f->spool, tape_feed_index(f, item->seq), &f->rec, &entry, err);
	if (st == TAPE_OK)
		st = tape_feed_make(f, item, &f->rec.u.request, &flight, err);
	if (st != TAPE_OK)
		return st;
	item->held = flight;
	f->held_n++;
	f->held_bytes += flight->bytes;
	return TAPE_OK;
}

/* What the loops said; how long it may be waited for. */
static enum tape_status
take_notes(struct tape_feed *f, int64_t timeout_ns, bool *drained,
    struct tape_err *err)
{
	const struct tape_note *v = NULL;
	unsigned flags = 0;
	size_t n = tape_post_take(f->post, timeout_ns, &v, &flags);
	enum tape_status st = TAPE_OK;

	tape_loops_flags(f->loops, flags);
	for (size_t i = 0; i < n && st == TAPE_OK; i++) {
		tape_loops_note(f->loops, &v[i]);
		if (v[i].kind == TAPE_NOTE_STARTED) {
			f->ahead_n--;
			f->ahead_bytes -= v[i].bytes;
		} else if (f->plan.follow) {
			st = tape_order_done(
			    f->order, v[i].key, v[i].t_ns, !v[i].ok, err);
		}
	}
	if ((flags & TAPE_NOTE_STOPPED) != 0)
		f->stopped = true;
	*drained = (flags & TAPE_NOTE_DRAINED) != 0;
	return st;
}

/* The rest of this stage cannot be had. */
static void
give_up(struct tape_feed *f, enum tape_status why)
{
	if (f->failure == TAPE_OK)
		f->failure = why;
	tape_loops_stop(f->loops);
}

static enum tape_status
work(struct tape_feed *f, bool *did, struct tape_err *err)
{
	enum tape_status st = feed_released(f, did, err);

	if (st == TAPE_OK)
		st = feed_next(f, did, err);
	if (st == TAPE_OK && !*did)
		st = prepare(f, did, err);
	return st;
}

static bool
all_given(const struct tape_feed *f)
{
	return f->stopped || f->failure != TAPE_OK ||
	       (f->left == 0 && f->pending == NULL &&
		   tape_order_parked(f->order) == 0 &&
		   tape_order_released(f->order) == 0);
}

enum tape_status
tape_feed_step(struct tape_feed *f, int64_t timeout_ns, struct tape_err *err)
{
	bool did = false, drained = false;
	int64_t ready;
	enum tape_status st = TAPE_OK;

	if (!all_given(f))
		st = work(f, &did, err);
	if (st == TAPE_OK && !f->ended && all_given(f)) {
		f->ended = true;
		tape_loops_end(f->loops);
	}
	if (st != TAPE_OK)
		give_up(f, st);
	if (did)
		timeout_ns = 0;
	else if (!f->ended && tape_order_peek(f->order, &ready)) {
		ready -= early_ns(f) + tape_clock_now_ns(f->clock);
		if (ready < timeout_ns && has_room(f, 0, 2))
			timeout_ns = ready;
	}
	st = take_notes(f, timeout_ns, &drained, err);
	if (st != TAPE_OK)
		give_up(f, st);
	if (!drained)
		return TAPE_OK;
	return f->failure == TAPE_OK ? TAPE_EOF : f->failure;
}
