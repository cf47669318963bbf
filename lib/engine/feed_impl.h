/* SPDX-License-Identifier: GPL-3.0-or-later */
/* feed_impl: what the files of feed share. */
#ifndef TAPE_ENGINE_FEED_IMPL_H
#define TAPE_ENGINE_FEED_IMPL_H

#include "engine/feed.h"
#include "engine/order.h"
#include "engine/spread.h"

struct tape_feed {
	struct tape_spool *spool;
	struct tape_loops *loops;
	struct tape_post *post;
	const struct tape_clock *clock;
	struct tape_feed_plan plan;
	const struct tape_spool_info *info;
	struct tape_order *order;
	struct tape_record rec;
	struct tape_buf body; /* rendered into, then copied: exact size */
	uint64_t *after;
	size_t after_cap;
	uint64_t next; /* place in the run: pass * requests + index */
	uint64_t left; /* still to be read; UINT64_MAX without end */
	struct tape_spread spread; /* over the target's servers */
	struct tape_err cut;
	struct tape_flight *pending; /* made, waits for room */
	size_t ahead_n, ahead_bytes;
	size_t held_n, held_bytes;
	bool stopped, ended;
	bool hit_parked;
	enum tape_status failure;
};

/* Where a place in the run is in the trace.  Of a trace whose end is not known
   yet it is the first pass. */
uint64_t tape_feed_pass(const struct tape_feed *f, uint64_t seq);
uint64_t tape_feed_index(const struct tape_feed *f, uint64_t seq);

/* Whether the next request can be read; when there will be none, left is 0
   afterwards. */
bool tape_feed_find_next(struct tape_feed *f);

/* The next request, which can be read: made, or parked, or it ends the trace
   (*flight stays NULL). */
enum tape_status tape_feed_read_next(struct tape_feed *f,
    struct tape_flight **flight, struct tape_err *err) TAPE_NODISCARD;

/* A flight for the request, with its body unless it is doomed. */
enum tape_status tape_feed_make(struct tape_feed *f,
    const struct tape_order_item *item, const struct tape_request *r,
    struct tape_flight **out, struct tape_err *err) TAPE_NODISCARD;

/* What order says of it. */
void tape_feed_place(struct tape_feed *f, struct tape_flight *flight,
    const struct tape_order_item *item);

#endif
