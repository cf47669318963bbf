/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/sched.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/span.h"
#include "unit/tap.h"

#define MS TAPE_NS_PER_MS

static void
add(struct tape_sched *s, struct tape_turn *t, uint64_t seq, int64_t t_ns,
    int64_t ready_ns)
{
	*t = (struct tape_turn){
		.seq = seq, .t_ns = t_ns, .ready_ns = ready_ns
	};
	if (tape_sched_add(s, t, NULL) != TAPE_OK)
		ok(false, "add %d", (int)seq);
}

static void
begin(struct tape_sched *s, bool open, size_t slots, int64_t base_ns)
{
	struct tape_sched_rules r = {
		.open = open, .slots = slots, .base_ns = base_ns
	};

	tape_sched_begin(s, &r);
}

static void
test_open(void)
{
	struct tape_sched s;
	struct tape_turn t[4];

	tape_sched_init(&s);
	begin(&s, true, 0, 1000);
	ok(tape_sched_take(&s, INT64_MAX) == NULL, "nothing there");
	is_int(tape_sched_deadline(&s), INT64_MAX, "nothing to wait for");
	add(&s, &t[0], 0, 50, TAPE_ABSENT_I64);
	add(&s, &t[1], 1, 50, TAPE_ABSENT_I64);
	add(&s, &t[2], 2, 60, 1200); /* let go later than planned */
	add(&s, &t[3], 3, 70, 1010); /* let go before */
	is_int(tape_sched_deadline(&s), 1050, "the first plan");
	ok(tape_sched_take(&s, 1049) == NULL, "not a nanosecond early");
	ok(tape_sched_take(&s, 1050) == &t[0], "on time");
	is_int(t[0].due_ns, 1050, "due");
	is_int(t[0].could_ns, 1050, "could");
	ok(tape_sched_deadline(&s) <= 1050, "the next one is ready");
	ok(tape_sched_take(&s, 9999) == &t[1], "equal times, trace order");
	ok(tape_sched_take(&s, 9999) == &t[3], "by the time it is due");
	is_int(t[3].due_ns, 1070, "the plan when it is later");
	ok(tape_sched_take(&s, 9999) == &t[2], "the last");
	is_int(t[2].due_ns, 1200, "the predecessor when that is later");
	is_int((int64_t)s.running, 4, "four run");
	is_int(tape_sched_done(&s, 5, NULL), TAPE_OK, "one ends");
	is_int((int64_t)s.running, 3, "three run");
	is_int((int64_t)s.held, 0, "no slot delayed any");
	add(&s, &t[0], 0, INT64_MAX, TAPE_ABSENT_I64);
	is_int(tape_sched_deadline(&s), INT64_MAX, "times do not overflow");
	ok(tape_sched_drop(&s) == &t[0], "dropped");
	ok(tape_sched_drop(&s) == NULL, "none left");
	tape_sched_release(&s);
}

/* Case C23: 8 requests 100 ms apart, cap 1, the server takes 500 ms each. */
static void
test_cap_hides_nothing(void)
{
	struct tape_sched s;
	struct tape_turn t[8];
	int64_t now = 0;
	double wait = 0, from_due = 0;

	tape_sched_init(&s);
	begin(&s, true, 1, 0);
	for (int i = 0; i < 8; i++)
		add(&s, &t[i], (uint64_t)i, MS * 100 * i, TAPE_ABSENT_I64);
	for (int i = 0; i < 8; i++) {
		int64_t at = tape_sched_deadline(&s);

		now = at > now ? at : now;
		ok(tape_sched_take(&s, now) == &t[i], "request %d", i);
		is_int(now, MS * 500 * i, "is sent at %d ms", i * 500);
		is_int(t[i].due_ns, MS * 100 * i, "due as planned");
		is_int(t[i].could_ns, MS * 500 * i, "the slot made it wait");
		is_int(tape_sched_deadline(&s), INT64_MAX, "the cap holds");
		wait += (double)(now - t[i].due_ns) / 8;
		now += 500 * MS;
		from_due += (double)(now - t[i].due_ns) / 8;
		is_int(tape_sched_done(&s, now, NULL), TAPE_OK, "ends");
	}
	is_near(wait, 1400e6, 1e-12, "mean wait 1400 ms");
	is_near(from_due, 1900e6, 1e-12, "mean from the plan 1900 ms");
	is_int((int64_t)s.held, 7, "seven were held by the cap");
	tape_sched_release(&s);
}

static void
test_closed(void)
{
	struct tape_sched s;
	struct tape_turn t[6];

	tape_sched_init(&s);
	begin(&s, false, 2, 100);
	add(&s, &t[1], 1, 5, TAPE_ABSENT_I64);
	add(&s, &t[0], 0, 7, TAPE_ABSENT_I64);
	add(&s, &t[2], 2, 0, TAPE_ABSENT_I64);
	ok(tape_sched_take(&s, 99) == NULL, "not before the base");
	ok(tape_sched_take(&s, 120) == &t[0], "trace order, not time");
	is_int(t[0].due_ns, 100, "due: the slot is free from the base");
	ok(tape_sched_take(&s, 120) == &t[1], "the second slot");
	ok(tape_sched_take(&s, 120) == NULL, "no third");
	is_int(tape_sched_deadline(&s), INT64_MAX, "a slot must become free");
	is_int(tape_sched_done(&s, 300, NULL), TAPE_OK, "one is");
	is_int(tape_sched_done(&s, 310, NULL), TAPE_OK, "and the other");
	ok(tape_sched_take(&s, 320) == &t[2], "the next");
	is_int(t[2].due_ns, 300, "due when the first slot became free");
	/* Let go in the future, and one of the trace behind it. */
	add(&s, &t[3], 3, 0, 500);
	add(&s, &t[4], 4, 0, TAPE_ABSENT_I64);
	ok(tape_sched_take(&s, 330) == &t[4], "who can go goes");
	is_int(t[4].due_ns, 310, "on the slot that waited");
	is_int(tape_sched_done(&s, 340, NULL), TAPE_OK, "a slot is free");
	is_int(tape_sched_deadline(&s), 500, "wait for the one let go later");
	add(&s, &t[5], 5, 0, TAPE_ABSENT_I64);
	ok(tape_sched_take(&s, 500) == &t[3], "ready: trace order again");
	is_int(t[3].due_ns, 500, "due when it was let go");
	tape_sched_release(&s);
}

/* Slots 1, 4 and 7 of 9, opened over 90 ms: from 10, 40 and 70 ms. */
static void
test_ramp(void)
{
	static const struct tape_sched_rules r = { .slots = 3,
		.base_ns = 1000,
		.ramp_ns = 90 * MS,
		.ramp_first = 1,
		.ramp_step = 3,
		.ramp_slots = 9 };
	struct tape_sched s;
	struct tape_turn t[5];

	tape_sched_init(&s);
	tape_sched_begin(&s, &r);
	for (int i = 0; i < 5; i++)
		add(&s, &t[i], (uint64_t)i, 0, TAPE_ABSENT_I64);
	is_int(tape_sched_deadline(&s), 1000 + 10 * MS, "the first slot opens");
	ok(tape_sched_take(&s, 999 + 10 * MS) == NULL, "not earlier");
	ok(tape_sched_take(&s, 1000 + 10 * MS) == &t[0], "one goes");
	is_int(t[0].due_ns, 1000 + 10 * MS, "due then");
	is_int(tape_sched_deadline(&s), 1000 + 40 * MS, "the second slot");
	is_int(tape_sched_done(&s, 20 * MS, NULL), TAPE_OK, "the first ends");
	is_int(tape_sched_deadline(&s), 20 * MS, "its slot comes first");
	ok(tape_sched_take(&s, 21 * MS) == &t[1], "and is used again");
	is_int(t[1].due_ns, 20 * MS, "due when it became free");
	is_int(tape_sched_done(&s, 60 * MS, NULL), TAPE_OK, "ends late");
	ok(tape_sched_take(&s, 60 * MS) == &t[2], "now the second slot");
	is_int(t[2].due_ns, 1000 + 40 * MS, "which opened before");
	ok(tape_sched_take(&s, 61 * MS) == &t[3], "the first again");
	ok(tape_sched_take(&s, 61 * MS) == NULL, "the third is not open");
	is_int(tape_sched_deadline(&s), 1000 + 70 * MS, "until its time");
	ok(tape_sched_take(&s, 71 * MS) == &t[4], "the third slot");
	is_int(tape_sched_deadline(&s), INT64_MAX, "no more slots");
	tape_sched_release(&s);
}

/* Neither do the times of a ramp overflow, nor are they rounded away. */
static void
test_ramp_extremes(void)
{
	struct tape_sched_rules r = { .slots = 1,
		.ramp_ns = INT64_MAX,
		.ramp_first = 999999,
		.ramp_step = 1,
		.ramp_slots = 1000000 };
	struct tape_sched s;
	struct tape_turn t;

	tape_sched_init(&s);
	tape_sched_begin(&s, &r);
	add(&s, &t, 0, 0, TAPE_ABSENT_I64);
	is_near((double)tape_sched_deadline(&s), 0.999999 * (double)INT64_MAX,
	    1e-12, "nearly all of it");
	(void)tape_sched_drop(&s);
	r.base_ns = INT64_MAX / 2;
	tape_sched_begin(&s, &r);
	add(&s, &t, 0, 0, TAPE_ABSENT_I64);
	is_int(tape_sched_deadline(&s), INT64_MAX, "beyond all time");
	ok(tape_sched_take(&s, INT64_MAX) == NULL, "is never");
	(void)tape_sched_drop(&s);
	r = (struct tape_sched_rules){ .slots = 1,
		.ramp_ns = 7,
		.ramp_first = 2,
		.ramp_step = 1,
		.ramp_slots = 3 };
	tape_sched_begin(&s, &r);
	add(&s, &t, 0, 0, TAPE_ABSENT_I64);
	is_int(tape_sched_deadline(&s), 4, "7 * 2 / 3");
	tape_sched_release(&s);
}

/* A thousand random requests come out in order and at their time. */
static void
test_many(void)
{
	enum { N = 1000 };
	static struct tape_turn t[N];
	struct tape_sched s;
	struct tape_turn *got;
	int64_t now = 0, last = 0;
	int n = 0, wrong = 0;
	unsigned r = 1;

	tape_sched_init(&s);
	begin(&s, true, 0, 0);
	for (int i = 0; i < N; i++) {
		r = r * 1103515245U + 12345U;
		add(&s, &t[i], (uint64_t)i, r >> 12, TAPE_ABSENT_I64);
	}
	while ((now = tape_sched_deadline(&s)) != INT64_MAX) {
		now = now > last ? now : last;
		got = tape_sched_take(&s, now);
		wrong += got == NULL || got->due_ns != now;
		last = now;
		n++;
		if (got == NULL)
			break;
	}
	is_int(n, N, "all came");
	is_int(wrong, 0, "each at its time");
	tape_sched_release(&s);
}

static void
test_memory(void)
{
	struct tape_sched s;
	struct tape_turn t[40];
	uint64_t nth = 0;
	int i = 0, n = 0;

	tape_sched_init(&s);
	begin(&s, false, 40, 0);
	do {
		tape_mem_fail_at(++nth);
		for (; i < 40; i++) {
			t[i] = (struct tape_turn){ .seq = (uint64_t)i };
			if (tape_sched_add(&s, &t[i], NULL) != TAPE_OK)
				break;
		}
		tape_mem_fail_at(0);
	} while (i < 40 && nth < 99);
	is_int(tape_sched_waiting(&s), 40, "each is in it once");
	for (i = 0; i < 40; i++)
		(void)tape_sched_take(&s, 0);
	tape_mem_fail_at(1);
	is_int(tape_sched_done(&s, 1, NULL), TAPE_E_NOMEM, "no memory");
	tape_mem_fail_at(0);
	for (i = 0; i < 39; i++)
		n += tape_sched_done(&s, i, NULL) == TAPE_OK;
	is_int(n, 39, "the others end");
	is_int((int64_t)s.running, 0, "none runs");
	tape_sched_release(&s);
}

int
main(void)
{
	test_open();
	test_cap_hides_nothing();
	test_closed();
	test_ramp();
	test_ramp_extremes();
	test_many();
	test_memory();
	return done_testing();
}
