/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several network loops: what is split, what is shared, what is added up. */
#include "base/spin.h"
#include "engine/loops.h"

#include "unit/replay_tape.h"

/* How many exchanges each loop had, once the tape was read. */
static int64_t by_loop[8];

static int64_t
loop_of(const struct seen *s)
{
	return s->x >> 32;
}

static void
read_loops(void)
{
	read_tape();
	memset(by_loop, 0, sizeof(by_loop));
	for (size_t i = 0; i < seen_n; i++)
		by_loop[loop_of(&seen[i]) & 7]++;
}

/* n requests, every gap_ns; without times when it is 0. */
static char *
many(int n, int64_t gap_ns)
{
	static struct tape_buf b;
	char t[40] = "";

	tape_buf_release(&b);
	tape_buf_init(&b, (size_t)16 << 20);
	for (int i = 0; i < n; i++) {
		if (gap_ns > 0)
			(void)snprintf(t, sizeof(t), "\"t_ns\":%lld,",
			    i * (long long)gap_ns);
		(void)tape_buf_add_fmt(&b,
		    "{\"kind\":\"request\",\"id\":\"r%d\",%s"
		    "\"input\":{\"text\":\"x\"}}\n",
		    i, t);
	}
	return b.data;
}

static bool
set_up(size_t loops, const char *lines, int (*interrupts)(void))
{
	k.knobs.loops = loops;
	return ok(
	    fake_open(&k, lines, interrupts, NULL), "open: %s", k.err.text);
}

static void
run(const struct tape_feed_plan *p)
{
	is_int(fake_run(&k, p), TAPE_EOF, "drained: %s", k.err.text);
}

static const struct tape_loop_stats *
stats(void)
{
	return tape_loops_stats(k.loops);
}

static void
test_open_loop(void)
{
	struct tape_feed_plan p;
	int wrong = 0;

	(void)set_up(3, many(999, 1234567), NULL);
	p = plan(true, 0);
	run(&p);
	is_int(stats()->sent, 999, "all are sent");
	is_int(stats()->done, 999, "and done");
	is_int(stats()->late.n, 999, "lateness is added up");
	is_int(stats()->late.max, 0, "none was late");
	is_int(stats()->first_due_ns, EPOCH_NS, "the first of all");
	is_int(stats()->last_start_ns, EPOCH_NS + 998 * INT64_C(1234567),
	    "the last of all");
	read_loops();
	for (size_t i = 0; i < seen_n; i++)
		wrong += seen[i].start_ns != seen[i].due_ns ||
			 seen[i].could_ns != TAPE_ABSENT_I64;
	is_int((int64_t)seen_n, 999, "each is on the tape");
	is_int(wrong, 0, "each at its time");
	for (int i = 1; i <= 3; i++)
		is_int(by_loop[i], 333, "a third went through loop %d", i);
	fake_release(&k);
}

static struct fake_answer
one_is_slow(const struct tape_flight *f)
{
	struct fake_answer a = fake_default(f);

	if (tape_str_is(f->id, "r1"))
		a.end_ns = 100 * TAPE_NS_PER_S;
	return a;
}

static void
test_closed_loop(void)
{
	struct tape_feed_plan p;

	(void)set_up(3, many(70, 0), NULL);
	p = plan(false, 7);
	run(&p);
	is_int((int64_t)k.open_max, 7, "seven slots in all");
	is_int(stats()->last_end_ns - EPOCH_NS, 10 * 500 * MS,
	    "which were always in use");
	read_loops();
	is_int(by_loop[1], 30, "three of them here");
	is_int(by_loop[2], 20, "two");
	is_int(by_loop[3], 20, "and two");
	fake_release(&k);

	/* A slot that is held up does not starve the others. */
	(void)set_up(2, many(102, 0), NULL);
	k.plan = one_is_slow;
	p = plan(false, 2);
	run(&p);
	is_int(stats()->last_end_ns - EPOCH_NS, 100500 * MS,
	    "the slow one and the one behind it were the last");
	is_int(stats()->last_start_ns - EPOCH_NS, 100 * TAPE_NS_PER_S,
	    "no more than that waited for it");
	fake_release(&k);

	/* More loops than slots. */
	(void)set_up(4, many(20, 0), NULL);
	p = plan(false, 2);
	run(&p);
	is_int((int64_t)tape_loops_used(k.loops), 2, "two loops are enough");
	is_int((int64_t)k.open_max, 2, "two slots");
	is_int(stats()->done, 20, "all done");
	p = plan(false, 4);
	p.stage.rules.base_ns = k.time.now_ns;
	run(&p);
	is_int((int64_t)tape_loops_used(k.loops), 4, "the next stage has four");
	is_int(stats()->done, 20, "all done");
	p = plan(false, 4);
	p.stage.max_open = 3;
	p.stage.rules.base_ns = k.time.now_ns;
	run(&p);
	is_int((int64_t)tape_loops_used(k.loops), 3, "each needs a descriptor");
	is_int(stats()->done, 20, "all done");
	ok(stats()->hit_descriptors, "and the limit was hit");
	fake_release(&k);
}

static void
test_cap(void)
{
	struct tape_feed_plan p;
	int64_t held = 0, wrong = 0;

	/* 5 slots, 10 requests a second each 0.5 s: every other waits. */
	(void)set_up(2, many(200, 50 * MS), NULL);
	p = plan(true, 5);
	run(&p);
	is_int((int64_t)k.open_max, 5, "never more than five");
	is_int(stats()->late.max, 0, "the wait is the cap's");
	read_loops();
	for (size_t i = 0; i < seen_n; i++) {
		const struct seen *s = &seen[i];
		int64_t could =
		    s->could_ns == TAPE_ABSENT_I64 ? s->due_ns : s->could_ns;

		held += s->could_ns != TAPE_ABSENT_I64;
		wrong += could != s->start_ns || could < s->due_ns;
	}
	ok(held > 150, "%d were held back", (int)held);
	is_int(wrong, 0, "and say since when they could go");
	is_int(stats()->last_start_ns - EPOCH_NS, 39 * 500 * MS + 200 * MS,
	    "both halves of the cap were used all the time");
	fake_release(&k);
}

#define TURN(id, rest)                                                         \
 "{\"kind\":\"request\",\"id\":\"" id "\",\"session\":\"s\"," rest             \
 "\"input\":{\"text\":\"x\"}}\n"

static struct fake_answer
fail_b(const struct tape_flight *f)
{
	struct fake_answer a = fake_default(f);

	if (tape_str_is(f->id, "b1")) {
		a.status = 500;
		a.class = TAPE_HTTP_HTTP;
	}
	return a;
}

static void
test_sessions(void)
{
	struct tape_feed_plan p;

	(void)set_up(3,
	    TURN("a1", "\"t_ns\":0,") TURN("b1", "\"t_ns\":1000000,")
		TURN("a2", "\"after\":[\"a1\"],\"delay_ns\":2000000000,")
		    TURN("a3", "\"after\":[\"a1\",\"a2\"],")
			TURN("b2", "\"after\":[\"b1\"],\"delay_ns\":5,") TURN(
			    "a4", "\"t_ns\":9000000000,\"after\":[\"a3\"],"),
	    NULL);
	k.plan = fail_b;
	p = plan(true, 0);
	run(&p);
	is_int(stats()->sent, 5, "b2 is not sent");
	is_int(stats()->doomed, 1, "for its predecessor failed");
	read_loops();
	is_int(of("a2")->start_ns, 2500 * MS, "a2 after a1 and its delay");
	is_int(of("a3")->start_ns, 3000 * MS, "a3 after a2, at once");
	is_int(of("a4")->start_ns, 9000 * MS, "a4 at its time");
	is_str(of("b2")->class, "client", "b2 failed with b1");
	ok(loop_of(of("a1")) != loop_of(of("b1")), "loops share the sessions");
	fake_release(&k);
}

static struct fake_answer
refuse(const struct tape_flight *f)
{
	struct fake_answer a = {
		.end_ns = MS, .chunk = "", .class = TAPE_HTTP_CONNECT
	};

	(void)f;
	return a;
}

static struct fake_answer
refuse_most(const struct tape_flight *f)
{
	struct fake_answer good = { .head_ns = MS,
		.end_ns = MS,
		.reads = 1,
		.chunk = "x",
		.status = 200 };

	return f->turn.seq % 10 == 9 ? good : refuse(f);
}

static void
test_abort(void)
{
	struct tape_feed_plan p;

	(void)set_up(3, many(300, 0), NULL);
	k.plan = refuse;
	p = plan(false, 3);
	p.stage.abort_after = 20;
	run(&p);
	is_int(stats()->stop, TAPE_LOOP_ABORTED, "aborted");
	ok(stats()->failed >= 20 && stats()->failed <= 22,
	    "%d failures of all loops count", (int)stats()->failed);
	/* The row of the stage before is forgotten. */
	k.plan = refuse_most;
	p = plan(false, 3);
	p.stage.abort_after = 20;
	p.stage.rules.base_ns = k.time.now_ns;
	run(&p);
	is_int(stats()->stop, TAPE_LOOP_ON, "a success in any loop counts");
	is_int(stats()->failed, 270, "nine of ten failed");
	fake_release(&k);
}

static int
interrupted_at_300ms(void)
{
	return k.time.now_ns - EPOCH_NS >= 300 * MS;
}

static void
test_stops(void)
{
	struct tape_feed_plan p;

	(void)set_up(3, many(100, 10 * MS), interrupted_at_300ms);
	p = plan(true, 0);
	run(&p);
	is_int(stats()->stop, TAPE_LOOP_INTERRUPTED, "interrupted");
	is_int(stats()->sent, 30, "no loop sent any more");
	is_int(stats()->done, 30, "what was open ended");
	fake_release(&k);

	(void)set_up(3, many(100, 10 * MS), NULL);
	p = plan(true, 0);
	p.stage.duration_ns = 505 * MS;
	p.stage.grace_ns = 100 * MS;
	run(&p);
	is_int(stats()->stop, TAPE_LOOP_DURATION, "the time was over");
	is_int(stats()->sent, 51, "for all loops");
	is_int(stats()->cancelled, 40, "with one grace");
	is_int(stats()->last_end_ns - EPOCH_NS, 605 * MS, "at its end");
	fake_release(&k);
}

/* The network of one fails: all stop, and it is told why. */
static void
test_one_breaks(void)
{
	struct tape_feed_plan p;

	(void)set_up(3, many(500, 10 * MS), NULL);
	k.poll_fails_at = 200;
	p = plan(true, 0);
	run(&p);
	is_int(stats()->stop, TAPE_LOOP_BROKEN, "broken");
	is_int(tape_loops_error(k.loops)->status, TAPE_E_IO, "told");
	ok(stats()->sent < 400, "%d were sent", (int)stats()->sent);
	is_int(stats()->done + stats()->failed, stats()->sent, "all ended");
	fake_release(&k);
}

static void
test_feeder_stops_all(void)
{
	struct tape_feed_plan p;
	enum tape_status st = TAPE_OK;

	(void)set_up(2, many(50, 10 * MS), NULL);
	p = plan(true, 0);
	is_int(tape_feed_begin(k.feed, &p, &k.err), TAPE_OK, "begun");
	tape_loops_stop(k.loops);
	for (int i = 0; i < 1000 && st == TAPE_OK; i++) {
		st = tape_feed_step(k.feed, 0, &k.err);
		fake_round(&k);
	}
	is_int(st, TAPE_EOF, "drained");
	is_int(stats()->stop, TAPE_LOOP_BROKEN, "both stopped");
	is_int(stats()->sent, 0, "nothing was sent");
	fake_release(&k);
}

static void
test_ramp(void)
{
	struct tape_feed_plan p;

	for (size_t loops = 1; loops <= 2; loops++) {
		(void)set_up(loops, many(20, 0), NULL);
		p = plan(false, 5);
		p.stage.rules.ramp_ns = 100 * MS;
		run(&p);
		read_loops();
		for (int i = 0; i < 5; i++)
			is_int(seen[i].start_ns, 20 * MS * i,
			    "slot %d of %d loops opens in its turn", i,
			    (int)loops);
		is_int(seen[5].start_ns, 500 * MS, "and is used again");
		is_int(seen[4].due_ns, 80 * MS, "due when it opened");
		fake_release(&k);
	}
}

static void
test_sums(void)
{
	static struct tape_loop_stats a, b;

	b = (struct tape_loop_stats){ .stop = TAPE_LOOP_DURATION,
		.sent = 2,
		.done = 1,
		.failed = 1,
		.cancelled = 1,
		.doomed = 3,
		.answered = 2,
		.first_due_ns = 10,
		.last_due_ns = 20,
		.first_start_ns = 11,
		.last_start_ns = 21,
		.last_end_ns = 30,
		.reads = 5,
		.passes = 6,
		.stalls = 1,
		.stall_max_ns = 7,
		.queue_stalls = 1,
		.queue_stalled_ns = 8,
		.spin_ns = 9,
		.spun_ns = 10,
		.hit_bodies = true };
	tape_hist_add(&b.late, 100);
	tape_loop_stats_add(&a, &b);
	is_int(a.first_due_ns, 10, "the first that sent");
	b.stop = TAPE_LOOP_ON;
	b.first_due_ns = 5;
	b.last_due_ns = 15;
	b.first_start_ns = 6;
	b.last_start_ns = 22;
	b.last_end_ns = 29;
	b.stall_max_ns = 6;
	b.spin_ns = 11;
	b.hit_descriptors = true;
	tape_hist_add(&b.late, 300);
	tape_loop_stats_add(&a, &b);
	is_int(a.stop, TAPE_LOOP_DURATION, "the worse reason");
	is_int(a.sent, 4, "sums: sent");
	is_int(a.done + a.failed + a.cancelled + a.doomed + a.answered,
	    2 + 2 + 2 + 6 + 4, "counts");
	is_int(a.reads + a.passes + a.stalls, 10 + 12 + 2, "passes");
	is_int(a.queue_stalls + a.queue_stalled_ns, 2 + 16, "queue");
	is_int(a.spun_ns, 20, "spinning");
	is_int(a.first_due_ns, 5, "first due");
	is_int(a.last_due_ns, 20, "last due");
	is_int(a.first_start_ns, 6, "first start");
	is_int(a.last_start_ns, 22, "last start");
	is_int(a.last_end_ns, 30, "last end");
	is_int(a.stall_max_ns, 7, "the longest stall");
	is_int(a.spin_ns, 11, "the longest margin");
	is_int(a.late.n, 3, "lateness");
	is_int(a.late.max, 300, "and the largest");
	ok(a.hit_bodies && a.hit_descriptors, "limits");
	/* One that sent nothing has no times. */
	memset(&b, 0, sizeof(b));
	tape_loop_stats_add(&a, &b);
	is_int(a.first_due_ns, 5, "0 is no time");
}

/* Of a wake-up that comes so late, with these options: the margin. */
static int64_t
margin(int64_t late_ns, int64_t spin_ns, int64_t most_ns)
{
	struct tape_feed_plan p;
	int64_t got;

	k.knobs = (struct fake_knobs){ .spin_ns = spin_ns,
		.spin_most_ns = most_ns,
		.wake_late_ns = late_ns,
		.pass_ns = TAPE_NS_PER_US };
	(void)set_up(1, many(10, 10 * MS), NULL);
	tape_loop_measure(k.loop);
	p = plan(true, 0);
	p.stage.rules.base_ns = k.time.now_ns + 5 * MS;
	run(&p);
	got = stats()->spin_ns;
	return got;
}

static void
test_spin(void)
{
	const int64_t us = TAPE_NS_PER_US;

	is_int(margin(35 * us, 0, 300 * us), 0, "off");
	is_int(stats()->late.max, 35 * us, "as late as it wakes up");
	is_int(stats()->spun_ns, 0, "nothing is spent");
	fake_release(&k);

	is_int(margin(35 * us, TAPE_SPIN_AUTO, 300 * us), 35 * us, "measured");
	ok(stats()->late.max <= us, "not late: %d ns", (int)stats()->late.max);
	fake_release(&k);

	is_int(margin(5 * us, TAPE_SPIN_AUTO, 300 * us), 20 * us,
	    "not too little");
	ok(stats()->spun_ns > 100 * us && stats()->spun_ns <= 160 * us,
	    "what is awake on purpose is counted: %d us",
	    (int)(stats()->spun_ns / us));
	fake_release(&k);

	is_int(margin(900 * us, TAPE_SPIN_AUTO, 300 * us), 300 * us,
	    "nor too much");
	is_int(stats()->late.max, 600 * us, "late by the rest");
	fake_release(&k);

	is_int(margin(900 * us, TAPE_SPIN_AUTO, 0), 0, "not at all");
	fake_release(&k);

	is_int(margin(35 * us, 50 * us, 300 * us), 50 * us, "as given");
	fake_release(&k);
}

/* A send is always near: the others hear of what there is all the same. */
static void
test_always_near(void)
{
	struct tape_feed_plan p;

	k.knobs = (struct fake_knobs){ .spin_ns = 10 * MS,
		.wake_late_ns = 100 * TAPE_NS_PER_US,
		.pass_ns = 10 * TAPE_NS_PER_US };
	(void)set_up(1, many(1000, MS), NULL);
	tape_loop_measure(k.loop);
	p = plan(true, 0);
	p.stage.rules.base_ns = k.time.now_ns + MS;
	run(&p);
	is_int(stats()->done, 1000, "all done");
	ok(stats()->late.max <= 10 * TAPE_NS_PER_US, "none waited: %d ns",
	    (int)stats()->late.max);
	read_loops();
	is_int((int64_t)seen_n, 1000, "all on the tape");
	fake_release(&k);
}

int
main(void)
{
	is_int(tape_target_open(
		   &target, NULL, "http://h", "/v1/completions", NULL),
	    TAPE_OK, "target");
	test_open_loop();
	test_closed_loop();
	test_cap();
	test_sessions();
	test_abort();
	test_stops();
	test_one_breaks();
	test_feeder_stops_all();
	test_ramp();
	test_sums();
	test_spin();
	test_always_near();
	tape_target_release(&target);
	(void)many(0, 0);
	return done_testing();
}
