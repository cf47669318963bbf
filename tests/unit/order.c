/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/order.h"

#include "base/mem.h"
#include "base/span.h"
#include "unit/tap.h"

static enum tape_order_state
add(struct tape_order *o, struct tape_order_item *item, const uint64_t *after,
    size_t n)
{
	enum tape_order_state state = TAPE_ORDER_READY;

	is_int(tape_order_add(o, item, after, n, &state, NULL), TAPE_OK,
	    "add %d", (int)item->seq);
	return state;
}

static void
end(struct tape_order *o, uint64_t seq, int64_t at, bool failed)
{
	is_int(tape_order_done(o, seq, at, failed, NULL), TAPE_OK, "%d ends",
	    (int)seq);
}

static struct tape_order_item
make(uint64_t seq, bool named, int64_t delay_ns)
{
	struct tape_order_item it = {
		.seq = seq, .named = named, .delay_ns = delay_ns
	};

	return it;
}

/* 1 -> 2 -> 3, and 4 after 1 and 3. */
static void
test_chain(void)
{
	struct tape_order *o = NULL;
	struct tape_order_item it;
	int64_t at = 0;

	is_int(tape_order_open(&o, NULL), TAPE_OK, "open");
	it = make(1, true, 0);
	is_int(add(o, &it, NULL, 0), TAPE_ORDER_READY, "free to go");
	ok(it.ready_ns == TAPE_ABSENT_I64 && !it.doomed, "at any time");
	it = make(2, true, 30);
	is_int(add(o, &it, (uint64_t[]){ 1 }, 1), TAPE_ORDER_PARKED, "waits");
	it = make(3, true, 0);
	is_int(add(o, &it, (uint64_t[]){ 2 }, 1), TAPE_ORDER_PARKED, "waits");
	it = make(4, false, 5);
	is_int(
	    add(o, &it, (uint64_t[]){ 1, 3 }, 2), TAPE_ORDER_PARKED, "waits");
	is_int(tape_order_parked(o), 3, "three are parked");
	ok(tape_order_candidate(o)->seq == 2, "2 is likely next");
	ok(tape_order_candidate(o) == NULL, "3 and 4 are behind it");
	ok(!tape_order_peek(o, &at), "none is released");
	is_int(tape_order_done(o, 1, 100, false, NULL), TAPE_OK, "1 ends");
	ok(tape_order_peek(o, &at) && at == 130, "2 after its delay");
	is_int(tape_order_released(o), 1, "one is released");
	ok(tape_order_pop(o, &it) && it.seq == 2, "2 comes out");
	is_int(it.ready_ns, 130, "with its time");
	ok(tape_order_candidate(o)->seq == 3, "then 3 is likely next");
	is_int(tape_order_done(o, 2, 200, false, NULL), TAPE_OK, "2 ends");
	ok(tape_order_pop(o, &it) && it.seq == 3, "3 comes out");
	ok(tape_order_candidate(o)->seq == 4, "4 is likely next");
	is_int(tape_order_done(o, 3, 150, false, NULL), TAPE_OK, "3 ends");
	ok(tape_order_pop(o, &it) && it.seq == 4, "4 comes out");
	is_int(it.ready_ns, 155, "after the last of its predecessors");
	is_int(tape_order_done(o, 4, 400, false, NULL), TAPE_OK, "4 ends");
	is_int(tape_order_parked(o), 0, "none waits");
	tape_order_free(o, NULL);
}

static void
test_known_ends(void)
{
	struct tape_order *o = NULL;
	struct tape_order_item it;

	is_int(tape_order_open(&o, NULL), TAPE_OK, "open");
	it = make(1, true, 0);
	(void)add(o, &it, NULL, 0);
	it = make(2, true, 0);
	(void)add(o, &it, NULL, 0);
	end(o, 1, 50, false);
	end(o, 2, 40, true);
	it = make(3, false, 7);
	is_int(add(o, &it, (uint64_t[]){ 1 }, 1), TAPE_ORDER_READY,
	    "after one that ended before");
	is_int(it.ready_ns, 57, "its end and the delay");
	it = make(4, true, 7);
	is_int(add(o, &it, (uint64_t[]){ 1, 2 }, 2), TAPE_ORDER_READY,
	    "one of two failed");
	ok(it.doomed && it.ready_ns == 50, "doomed, and at once");
	it = make(5, false, 7);
	is_int(add(o, &it, (uint64_t[]){ 4 }, 1), TAPE_ORDER_PARKED, "waits");
	is_int(tape_order_add(o, &it, (uint64_t[]){ 3 }, 1,
		   &(enum tape_order_state){ 0 }, NULL),
	    TAPE_E_BUG, "3 was not to be named");
	end(o, 4, 60, true);
	ok(tape_order_pop(o, &it) && it.seq == 5 && it.doomed,
	    "failure is passed on");
	tape_order_free(o, NULL);
}

static void
test_release_order(void)
{
	struct tape_order *o = NULL;
	struct tape_order_item it;
	uint64_t last = 0;
	int n = 0, wrong = 0;

	is_int(tape_order_open(&o, NULL), TAPE_OK, "open");
	it = make(1, true, 0);
	(void)add(o, &it, NULL, 0);
	for (uint64_t k = 2; k < 102; k++) {
		enum tape_order_state s;

		it = make(k, false, (int64_t)(k * 37 % 100));
		wrong += tape_order_add(
			     o, &it, (uint64_t[]){ 1 }, 1, &s, NULL) != TAPE_OK;
	}
	end(o, 1, 1000, false);
	while (tape_order_pop(o, &it)) {
		wrong += (uint64_t)it.ready_ns < last;
		last = (uint64_t)it.ready_ns;
		n++;
	}
	is_int(n, 100, "all come out");
	is_int(wrong, 0, "by the time they may go");
	tape_order_free(o, NULL);
}

/* Ends are known for so many requests, and cost no more however many come. */
static void
test_window(void)
{
	const uint64_t n = TAPE_RECENT;
	struct tape_order *o = NULL;
	struct tape_order_item it;
	enum tape_order_state state;

	is_int(tape_order_open(&o, NULL), TAPE_OK, "open");
	it = make(1, true, 0);
	(void)add(o, &it, NULL, 0);
	end(o, 1, 70, false);
	it = make(2, true, 0);
	(void)add(o, &it, NULL, 0);
	end(o, 2, 80, true);
	it = make(1 + n, true, 5);
	is_int(add(o, &it, (uint64_t[]){ 1 }, 1), TAPE_ORDER_READY,
	    "after one that is as far back as can be");
	is_int(it.ready_ns, 75, "its end is known");
	end(o, 1 + n, 90, false);
	it = make(2 + n, false, 5);
	is_int(add(o, &it, (uint64_t[]){ 2, 1 + n }, 2), TAPE_ORDER_READY,
	    "and after two");
	ok(it.doomed && it.ready_ns == 90, "one of them had failed");
	it = make(3 + n, false, 0);
	is_int(tape_order_add(o, &it, (uint64_t[]){ 2 }, 1, &state, NULL),
	    TAPE_E_BUG, "further back");
	tape_order_free(o, NULL);
}

static int freed;

static void
count_free(void *p)
{
	freed++;
	tape_mem_free(p);
}

/* One thing with failing memory: true when it went through. */
static bool
try_once(uint64_t nth)
{
	struct tape_order *o = NULL;
	struct tape_order_item it = make(1, true, 0);
	struct tape_order_item *c;
	enum tape_order_state state;
	bool good = false;

	tape_mem_fail_at(nth);
	if (tape_order_open(&o, NULL) == TAPE_OK &&
	    tape_order_add(o, &it, NULL, 0, &state, NULL) == TAPE_OK) {
		it = make(2, true, 0);
		good = tape_order_add(o, &it, (uint64_t[]){ 1 }, 1, &state,
			   NULL) == TAPE_OK;
	}
	tape_mem_fail_at(0);
	c = good ? tape_order_candidate(o) : NULL;
	if (c != NULL)
		c->held = tape_mem_calloc(1, 1);
	tape_order_free(o, count_free);
	return good;
}

int
main(void)
{
	uint64_t nth = 1;

	test_chain();
	test_known_ends();
	test_release_order();
	test_window();
	while (!try_once(nth) && nth < 50)
		nth++;
	ok(nth > 4 && nth < 50, "each failing allocation: %d", (int)nth);
	is_int(freed, 1, "what is held is freed");
	tape_order_free(NULL, NULL);
	return done_testing();
}
