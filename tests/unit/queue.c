/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/queue.h"

#include "base/clock.h"
#include "base/mem.h"
#include "unit/tap.h"

#include <pthread.h>
#include <unistd.h>

#define MS TAPE_NS_PER_MS

static int freed;

static void
count_free(void *p)
{
	freed++;
	tape_mem_free(p);
}

static void
test_order_and_close(void)
{
	struct tape_queue *q = NULL;
	int items[3] = { 0, 1, 2 };
	int64_t stalled = 77;
	bool closed = true;

	is_int(tape_queue_open(&q, 3, 100, NULL), TAPE_OK, "open");
	ok(tape_queue_pop(q, 0, &closed) == NULL && !closed, "empty, open");
	for (int i = 0; i < 3; i++)
		ok(tape_queue_push(q, &items[i], 10, &stalled), "push %d", i);
	is_int(stalled, 0, "no stall");
	ok(tape_queue_pop(q, 0, &closed) == &items[0] && !closed, "first");
	ok(tape_queue_push(q, &items[0], 10, NULL), "the ring turns");
	tape_queue_close(q);
	tape_queue_close(q);
	ok(!tape_queue_push(q, &items[0], 1, &stalled), "closed to pushes");
	ok(tape_queue_pop(q, 0, &closed) == &items[1] && !closed, "second");
	ok(tape_queue_pop(q, 0, &closed) == &items[2] && !closed, "third");
	ok(tape_queue_pop(q, 0, &closed) == &items[0] && !closed, "fourth");
	ok(tape_queue_pop(q, INT64_MAX, &closed) == NULL && closed,
	    "drained and closed: no wait");
	tape_queue_free(q, NULL);
	tape_queue_free(NULL, NULL);
}

static void
test_timeout(void)
{
	struct tape_queue *q = NULL;
	int64_t t = tape_clock_now_ns(&tape_clock_system);
	bool closed = true;

	is_int(tape_queue_open(&q, 1, 1, NULL), TAPE_OK, "open");
	ok(tape_queue_pop(q, 20 * MS, &closed) == NULL && !closed, "nothing");
	ok(tape_clock_now_ns(&tape_clock_system) - t >= 20 * MS,
	    "the wait was as long as asked");
	tape_queue_free(q, NULL);
}

static void
test_free_of_leftovers(void)
{
	struct tape_queue *q = NULL;
	bool closed;

	is_int(tape_queue_open(&q, 4, 100, NULL), TAPE_OK, "open");
	for (int i = 0; i < 4; i++)
		ok(tape_queue_push(q, tape_mem_calloc(1, 1), 1, NULL), "push");
	tape_mem_free(tape_queue_pop(q, 0, &closed));
	ok(tape_queue_push(q, tape_mem_calloc(1, 1), 1, NULL), "push");
	tape_queue_free(q, count_free);
	is_int(freed, 4, "each left one is freed");
}

struct late_pop {
	struct tape_queue *q;
	void *got;
	int close;
};

static void *
late_pop(void *arg)
{
	struct late_pop *l = arg;
	bool closed;

	(void)usleep(20000);
	if (l->close)
		tape_queue_close(l->q);
	else
		l->got = tape_queue_pop(l->q, 0, &closed);
	return NULL;
}

/* Pushes a second item of weight when the first has weight 60 of 100; the
   helper pops or closes after 20 ms. */
static bool
second_push(size_t items, size_t weight, int closes, int64_t *stalled)
{
	static int a, b;
	struct late_pop l = { .close = closes };
	pthread_t t;
	bool pushed;

	is_int(tape_queue_open(&l.q, items, 100, NULL), TAPE_OK, "open");
	ok(tape_queue_push(l.q, &a, 60, stalled), "first push");
	if (pthread_create(&t, NULL, late_pop, &l) != 0)
		return false;
	pushed = tape_queue_push(l.q, &b, weight, stalled);
	(void)pthread_join(t, NULL);
	ok(closes || l.got == &a, "the first came out");
	tape_queue_free(l.q, NULL);
	return pushed;
}

static void
test_stalls(void)
{
	int64_t stalled = 0;

	ok(second_push(2, 40, 0, &stalled), "room for both");
	is_int(stalled, 0, "no stall");
	ok(second_push(1, 1, 0, &stalled), "full by count, then room");
	ok(stalled >= 10 * MS && stalled < 5000 * MS, "the stall is measured");
	ok(second_push(9, 41, 0, &stalled), "full by weight, then room");
	ok(stalled >= 10 * MS, "measured");
	ok(second_push(9, SIZE_MAX, 0, &stalled),
	    "heavier than the bound, taken when it is empty");
	ok(stalled >= 10 * MS, "measured");
	ok(!second_push(1, 1, 1, &stalled), "closed while it waited");
	ok(stalled >= 10 * MS, "measured");
}

static void
test_heavy_blocks_next(void)
{
	struct tape_queue *q = NULL;
	struct late_pop l;
	static int a, b;
	int64_t stalled = 0;
	pthread_t t;

	is_int(tape_queue_open(&q, 9, 100, NULL), TAPE_OK, "open");
	ok(tape_queue_push(q, &a, 500, NULL), "over the bound");
	l = (struct late_pop){ .q = q };
	ok(pthread_create(&t, NULL, late_pop, &l) == 0, "helper");
	ok(tape_queue_push(q, &b, 0, &stalled), "weightless waits");
	ok(stalled >= 10 * MS, "until the heavy one is gone");
	(void)pthread_join(t, NULL);
	tape_queue_free(q, NULL);
}

enum { PRODUCERS = 3, EACH = 4000 };

static void *
producer(void *arg)
{
	struct tape_queue *q = arg;

	for (int i = 0; i < EACH; i++) {
		int *p = tape_mem_calloc(1, sizeof(*p));

		if (p == NULL)
			break;
		*p = i;
		if (!tape_queue_push(q, p, (size_t)(i % 50), NULL))
			tape_mem_free(p);
	}
	return NULL;
}

struct sum {
	struct tape_queue *q;
	int64_t items;
	int64_t values;
};

static void *
consumer(void *arg)
{
	struct sum *s = arg;
	bool closed = false;

	while (!closed) {
		int *p = tape_queue_pop(s->q, 100 * MS, &closed);

		if (p == NULL)
			continue;
		s->items++;
		s->values += *p;
		tape_mem_free(p);
	}
	return NULL;
}

static void
test_many_threads(void)
{
	struct tape_queue *q = NULL;
	struct sum s[2] = { 0 };
	pthread_t p[PRODUCERS], c[2];
	int rc = 0;

	is_int(tape_queue_open(&q, 16, 200, NULL), TAPE_OK, "open");
	for (int i = 0; i < 2; i++) {
		s[i].q = q;
		rc += pthread_create(&c[i], NULL, consumer, &s[i]);
	}
	for (int i = 0; i < PRODUCERS; i++)
		rc += pthread_create(&p[i], NULL, producer, q);
	is_int(rc, 0, "threads start");
	for (int i = 0; i < PRODUCERS; i++)
		(void)pthread_join(p[i], NULL);
	tape_queue_close(q);
	for (int i = 0; i < 2; i++)
		(void)pthread_join(c[i], NULL);
	is_int(s[0].items + s[1].items, (int64_t)PRODUCERS * EACH,
	    "each item came out once");
	is_int(s[0].values + s[1].values,
	    (int64_t)PRODUCERS * EACH * (EACH - 1) / 2, "unharmed");
	tape_queue_free(q, count_free);
}

static void
test_failures(void)
{
	struct tape_queue *q = NULL;
	enum tape_status st = TAPE_E_NOMEM;
	int n = 0;

	is_int(tape_queue_open(&q, 0, 1, NULL), TAPE_E_USAGE, "no items");
	while (st == TAPE_E_NOMEM && n < 9) {
		(void)tape_mem_fail_at((uint64_t)++n);
		st = tape_queue_open(&q, 4, 1, NULL);
		(void)tape_mem_fail_at(0);
	}
	is_int(st, TAPE_OK, "opens when memory is there");
	is_int(n, 3, "after two allocations");
	tape_queue_free(q, NULL);
	is_int(tape_queue_open(&q, SIZE_MAX, 1, NULL), TAPE_E_NOMEM, "huge");
}

int
main(void)
{
	test_order_and_close();
	test_timeout();
	test_free_of_leftovers();
	test_stalls();
	test_heavy_blocks_next();
	test_many_threads();
	test_failures();
	return done_testing();
}
