/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/loop_impl.h"

#include "unit/replay_tape.h"

/* n requests, every gap_ns. */
static char *
many(int n, int64_t gap_ns)
{
	static struct tape_buf b;

	tape_buf_release(&b);
	tape_buf_init(&b, (size_t)256 << 20);
	for (int i = 0; i < n; i++)
		(void)tape_buf_add_fmt(&b,
		    "{\"kind\":\"request\",\"id\":\"r%d\",\"t_ns\":%lld,"
		    "\"input\":{\"text\":\"x\"}}\n",
		    i, 7000LL + i * (long long)gap_ns);
	return b.data;
}

static void
test_open_loop(void)
{
	const struct tape_arrivals *a;
	struct tape_feed_plan p;
	int wrong = 0;

	ok(fake_open(&k, many(1000, 1234567), NULL, NULL), "%s", k.err.text);
	p = plan(true, 0);
	is_int(fake_run(&k, &p), TAPE_EOF, "drained: %s", k.err.text);
	is_int(tape_loop_stats(k.loop)->sent, 1000, "sent");
	is_int(tape_loop_stats(k.loop)->done, 1000, "done");
	is_int(tape_loop_stats(k.loop)->late.max, 0, "none was late");
	a = tape_loop_arrivals(k.loop);
	is_int((int64_t)a->n, 1000, "each is noted");
	for (size_t i = 0; i < a->n; i++)
		wrong += a->v[i].seq != i || a->v[i].start_ns != a->v[i].due_ns;
	is_int(wrong, 0, "as due and sent");
	ok(k.open_max > 300, "%d at once", (int)k.open_max);
	read_tape();
	is_int((int64_t)seen_n, 1000, "each is on the tape");
	for (int i = 0; i < 1000; i++) {
		char id[16];
		const struct seen *s;

		(void)snprintf(id, sizeof(id), "r%d", i);
		s = of(id);
		wrong += s->due_ns != i * INT64_C(1234567) ||
			 s->start_ns != s->due_ns ||
			 s->end_ns != s->start_ns + 500 * MS || s->x >> 32 != 1;
	}
	is_int(wrong, 0, "due, start and end to the nanosecond");
	fake_release(&k);
}

/* Case C23: 8 requests 100 ms apart, cap 1, the server takes 500 ms each. */
static void
test_cap(void)
{
	struct tape_feed_plan p;
	char id[16];

	ok(fake_open(&k, many(8, 100 * MS), NULL, NULL), "%s", k.err.text);
	p = plan(true, 1);
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	is_int(tape_loop_stats(k.loop)->late.max, 0,
	    "the wait is the cap's, not the client's");
	is_int((int64_t)k.open_max, 1, "never more than one");
	read_tape();
	for (int i = 0; i < 8; i++) {
		(void)snprintf(id, sizeof(id), "r%d", i);
		is_int(of(id)->due_ns, MS * 100 * i, "planned");
		is_int(of(id)->start_ns, MS * 500 * i, "sent");
	}
	fake_release(&k);
}

static void
test_closed_loop(void)
{
	struct tape_feed_plan p;
	struct tape_buf b;

	tape_buf_init(&b, 65536);
	for (int i = 0; i < 10; i++)
		(void)tape_buf_add_fmt(&b,
		    "{\"kind\":\"request\",\"id\":\"r%d\","
		    "\"input\":{\"text\":\"x\"}}\n",
		    i);
	ok(fake_open(&k, b.data, NULL, NULL), "%s", k.err.text);
	p = plan(false, 3);
	p.count = 25;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	is_int((int64_t)k.open_max, 3, "three slots");
	is_int(tape_loop_stats(k.loop)->done, 25, "two passes and a half");
	read_tape();
	is_int(seen[24].start_ns, MS * 4000, "slots are filled at once");
	is_int(seen[24].due_ns, MS * 4000, "due when the slot was free");
	is_int(seen[24].pass, 2, "third pass");
	is_str(seen[24].id, "r4", "from its beginning");
	fake_release(&k);
	tape_buf_release(&b);
}

/* Each pass begins one mean gap after the end of the one before. */
static void
test_cycle_in_time(void)
{
	struct tape_feed_plan p;

	ok(fake_open(&k, many(5, 100 * MS), NULL, NULL), "%s", k.err.text);
	p = plan(true, 0);
	p.count = 12;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	read_tape();
	is_int((int64_t)seen_n, 12, "all");
	is_int(seen[5].due_ns, 500 * MS, "the second pass goes on");
	is_int(seen[11].due_ns, 1100 * MS, "and the third");
	is_int(seen[11].pass, 2, "which it is");
	fake_release(&k);
}

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

#define TURN(id, session, rest)                                                \
 "{\"kind\":\"request\",\"id\":\"" id "\",\"session\":\"" session "\"," rest   \
 "\"input\":{\"text\":\"x\"}}\n"

static void
test_sessions(void)
{
	struct tape_feed_plan p;

	ok(fake_open(&k,
	       TURN("a1", "a", "\"t_ns\":0,")
		   TURN("b1", "b", "\"t_ns\":1000000,") TURN(
		       "a2", "a", "\"after\":[\"a1\"],\"delay_ns\":2000000000,")
		       TURN("a3", "a", "\"after\":[\"a1\",\"a2\"],")
			   TURN("b2", "b", "\"after\":[\"b1\"],\"delay_ns\":5,")
			       TURN("b3", "b", "\"after\":[\"b2\"],")
				   TURN("a4", "a",
				       "\"t_ns\":9000000000,"
				       "\"after\":[\"a3\"],"),
	       NULL, NULL),
	    "%s", k.err.text);
	k.plan = fail_b;
	p = plan(true, 0);
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	is_int(tape_loop_stats(k.loop)->sent, 5, "b2, b3 are not sent");
	is_int(tape_loop_stats(k.loop)->failed, 3, "b1, b2, b3 failed");
	is_int(tape_loop_stats(k.loop)->doomed, 2, "two by their predecessor");
	is_int((int64_t)k.started, 5, "five reached the network");
	read_tape();
	is_int(of("a1")->start_ns, 0, "a1");
	is_int(of("a2")->due_ns, 2500 * MS, "a2 after a1 and its delay");
	is_int(of("a2")->start_ns, 2500 * MS, "and not late");
	is_int(of("a3")->due_ns, 3000 * MS, "a3 after a2");
	is_int(of("a3")->start_ns, 3000 * MS, "at once");
	is_int(of("a4")->start_ns, 9000 * MS, "a4 at its own time");
	is_str(of("b1")->class, "http", "b1 failed");
	is_str(of("b2")->class, "client", "b2 with it");
	is_str(of("b2")->cause, "predecessor", "for that");
	is_int(of("b2")->start_ns, 501 * MS, "then");
	is_str(of("b3")->cause, "predecessor", "and b3 with b2");
	fake_release(&k);
}

/* The last one fails without the network: it is handed on before the end. */
static void
test_doomed_at_the_end(void)
{
	struct tape_feed_plan p;

	ok(fake_open(&k,
	       TURN("b1", "b", "\"t_ns\":0,")
		   TURN("b2", "b", "\"after\":[\"b1\"],"),
	       NULL, NULL),
	    "%s", k.err.text);
	k.plan = fail_b;
	p = plan(true, 0);
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	read_tape();
	is_int((int64_t)seen_n, 2, "both are on the tape");
	is_str(of("b2")->cause, "predecessor", "with the reason");
	fake_release(&k);
}

static void
test_duration(void)
{
	struct tape_feed_plan p;
	const struct tape_loop_stats *s;

	ok(fake_open(&k, many(100, 100 * MS), NULL, NULL), "%s", k.err.text);
	p = plan(true, 0);
	p.stage.duration_ns = 1050 * MS;
	p.stage.grace_ns = 200 * MS;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	s = tape_loop_stats(k.loop);
	is_int(s->stop, TAPE_LOOP_DURATION, "stopped by the duration");
	is_int(s->sent, 11, "0 to 1000 ms were sent");
	is_int(s->done, 8, "those that ended in the grace");
	is_int(s->cancelled, 3, "the rest was cancelled");
	is_int(s->failed, 3, "and failed");
	is_int(s->last_end_ns - EPOCH_NS, 1250 * MS, "when it was over");
	/* The next stage is not touched by it. */
	p = plan(true, 0);
	p.stage.rules.base_ns = k.time.now_ns;
	p.count = 3;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	is_int(s->done, 3, "all done");
	is_int(s->stop, TAPE_LOOP_ON, "not stopped");
	read_tape();
	is_int((int64_t)seen_n, 14, "all that was sent is there");
	is_str(of("r10")->class, "cancelled", "the last one");
	is_int(of("r10")->end_ns, 1250 * MS, "at the end of the grace");
	fake_release(&k);
}

static struct fake_answer
refuse(const struct tape_flight *f)
{
	struct fake_answer a = { 0, MS, 0, "", 0, TAPE_HTTP_CONNECT, 0, 0 };

	(void)f;
	return a;
}

static void
test_abort(void)
{
	struct tape_feed_plan p;

	ok(fake_open(&k, many(100, MS), NULL, NULL), "%s", k.err.text);
	k.plan = refuse;
	p = plan(false, 1);
	p.stage.abort_after = 20;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	is_int(tape_loop_stats(k.loop)->stop, TAPE_LOOP_ABORTED, "aborted");
	is_int(tape_loop_stats(k.loop)->failed, 20, "after 20 failures");
	is_int(tape_loop_stats(k.loop)->answered, 0, "no answer at all");
	p = plan(false, 1);
	p.stage.rules.base_ns = k.time.now_ns;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	is_int(tape_loop_stats(k.loop)->failed, 100, "0 never aborts");
	read_tape();
	is_str(of("r3")->class, "connect", "class");
	fake_release(&k);
}

static int interrupts;

static int
count_interrupts(void)
{
	/* The first Ctrl-C at 300 ms, the second at 600 ms. */
	int64_t t = k.time.now_ns - EPOCH_NS;

	return t < 300 * MS ? 0 : t < 600 * MS || interrupts < 2 ? 1 : 2;
}

static void
test_interrupt(void)
{
	struct tape_feed_plan p;

	interrupts = 1;
	ok(fake_open(&k, many(100, 100 * MS), count_interrupts, NULL), "%s",
	    k.err.text);
	p = plan(true, 0);
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	is_int(tape_loop_stats(k.loop)->stop, TAPE_LOOP_INTERRUPTED, "stopped");
	is_int(tape_loop_stats(k.loop)->done, 3, "what was sent is done");
	is_int(tape_loop_stats(k.loop)->sent, 3, "and no more was");
	fake_release(&k);

	interrupts = 2;
	ok(fake_open(&k, many(100, 100 * MS), count_interrupts, NULL), "%s",
	    k.err.text);
	p = plan(true, 0);
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	is_int(tape_loop_stats(k.loop)->done, 2, "0 and 100 ms were done");
	is_int(tape_loop_stats(k.loop)->cancelled, 1, "the third cancelled");
	is_int(tape_loop_stats(k.loop)->last_end_ns - EPOCH_NS, 600 * MS,
	    "at the second Ctrl-C");
	fake_release(&k);
}

static struct fake_answer
slow_to_send(const struct tape_flight *f)
{
	struct fake_answer a = fake_default(f);

	a.sent_ns = 10 * MS;
	return a;
}

static void
test_bodies_held_back(void)
{
	struct tape_feed_plan p;
	struct tape_buf b;

	/* Forty bodies of 1 MiB, all due at once. */
	tape_buf_init(&b, (size_t)64 << 20);
	for (int i = 0; i < 40; i++) {
		(void)tape_buf_add_fmt(&b,
		    "{\"kind\":\"request\",\"id\":\"r%d\",\"t_ns\":0,"
		    "\"input\":{\"text\":\"",
		    i);
		for (int n = 0; n < 1 << 20; n++)
			(void)tape_buf_add_char(&b, 'x');
		(void)tape_buf_add_str(&b, "\"}}\n");
	}
	ok(fake_open(&k, b.data, NULL, NULL), "%s", k.err.text);
	k.plan = slow_to_send;
	p = plan(true, 0);
	is_int(fake_run(&k, &p), TAPE_EOF, "drained: %s", k.err.text);
	is_int(tape_loop_stats(k.loop)->done, 40, "all done");
	is_int(tape_loop_stats(k.loop)->late.max, 40 * MS,
	    "eight at a time: the client was late, and says so");
	ok(tape_loop_stats(k.loop)->hit_bodies, "and the limit is told");
	fake_release(&k);
	tape_buf_release(&b);
}

static void
test_failures_of_ours(void)
{
	struct tape_feed_plan p;
	int bad = 0;

	/* Memory fails at the nth allocation; nothing hangs, nothing leaks. */
	for (uint64_t nth = 1; nth < 400; nth += nth < 60 ? 1 : 17) {
		enum tape_status st;

		ok(fake_open(&k, many(6, MS), NULL, NULL), "%s", k.err.text);
		p = plan(true, 0);
		tape_mem_fail_at(nth);
		st = fake_run(&k, &p);
		tape_mem_fail_at(0);
		bad += st != TAPE_EOF && st != TAPE_E_NOMEM;
		fake_release(&k);
	}
	is_int(bad, 0, "each ends in order");
}

static struct fake_answer
never(const struct tape_flight *f)
{
	struct fake_answer a = fake_default(f);

	a.end_ns = 365 * 86400 * TAPE_NS_PER_S;
	return a;
}

/* A network that fails takes down what is open, and is not asked again. */
static void
test_network_fails(void)
{
	struct tape_feed_plan p;

	ok(fake_open(&k, many(50, 10 * MS), NULL, NULL), "%s", k.err.text);
	k.poll_fails_at = 60;
	p = plan(true, 0);
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	is_int(tape_loop_error(k.loop)->status, TAPE_E_IO, "and told");
	ok(tape_loop_stats(k.loop)->stop == TAPE_LOOP_BROKEN, "as broken");
	is_int((int64_t)k.polls, 60, "the last poll was the one that failed");
	ok(k.open_n > 0, "%d were open", (int)k.open_n);
	is_int(tape_loop_stats(k.loop)->failed, (int64_t)k.open_n, "all fail");
	fake_release(&k);
}

/* Nor does one that ends nothing hold up the end. */
static void
test_network_is_deaf(void)
{
	struct tape_feed_plan p;

	ok(fake_open(&k, many(3, MS), NULL, NULL), "%s", k.err.text);
	k.plan = never;
	k.deaf = true;
	p = plan(true, 0);
	p.stage.duration_ns = 10 * MS;
	p.stage.grace_ns = TAPE_NS_PER_S;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	is_int(tape_loop_error(k.loop)->status, TAPE_E_BUG, "and told");
	is_int(tape_loop_stats(k.loop)->failed, 3, "all fail");
	ok(k.time.now_ns <= EPOCH_NS + 13 * TAPE_NS_PER_S, "in time");
	fake_release(&k);
}

/* ^C in the grace, and a network that fails then, are told instead of it. */
static void
test_worse_reason(void)
{
	struct tape_feed_plan p;
	const struct tape_loop_stats *s;

	interrupts = 1;
	ok(fake_open(&k, many(100, 100 * MS), count_interrupts, NULL), "%s",
	    k.err.text);
	p = plan(true, 0);
	p.stage.duration_ns = 250 * MS;
	p.stage.grace_ns = 300 * MS;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	s = tape_loop_stats(k.loop);
	is_int(s->stop, TAPE_LOOP_INTERRUPTED, "^C behind the duration");
	is_int(s->sent, 3, "what was sent by then");
	is_int(s->cancelled, 2, "two are not done in the grace");
	is_int(s->last_end_ns - EPOCH_NS, 550 * MS, "which is the first");
	fake_release(&k);

	ok(fake_open(&k, many(100, 100 * MS), NULL, NULL), "%s", k.err.text);
	k.plan = never;
	k.deaf = true;
	p = plan(true, 0);
	p.stage.duration_ns = 250 * MS;
	p.stage.grace_ns = 300 * MS;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	is_int(tape_loop_stats(k.loop)->stop, TAPE_LOOP_BROKEN, "broken");
	is_int(tape_loop_error(k.loop)->status, TAPE_E_BUG, "and told");
	fake_release(&k);
}

static struct fake_answer
fail_late(const struct tape_flight *f)
{
	struct fake_answer a = { 0, 400 * MS, 0, "", 0, TAPE_HTTP_CONNECT, 0,
		0 };

	(void)f;
	return a;
}

/* A row of failures in the grace after ^C has stopped nothing; before it, or
   where the duration is over, it ends the replay. */
static void
test_failures_in_the_grace(void)
{
	struct tape_feed_plan p;

	interrupts = 1;
	ok(fake_open(&k, many(100, 10 * MS), count_interrupts, NULL), "%s",
	    k.err.text);
	k.plan = fail_late;
	p = plan(true, 0);
	p.stage.abort_after = 20;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	is_int(tape_loop_stats(k.loop)->failed, 30, "all that was sent failed");
	is_int(
	    tape_loop_stats(k.loop)->stop, TAPE_LOOP_INTERRUPTED, "after ^C");
	fake_release(&k);

	ok(fake_open(&k, many(100, 10 * MS), NULL, NULL), "%s", k.err.text);
	k.plan = fail_late;
	p = plan(true, 0);
	p.stage.abort_after = 20;
	p.stage.duration_ns = 295 * MS;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	is_int(tape_loop_stats(k.loop)->failed, 30, "all failed");
	is_int(tape_loop_stats(k.loop)->stop, TAPE_LOOP_ABORTED,
	    "behind the duration");
	fake_release(&k);
}

/* What the feeder does while the loop takes the beginning. */
static int64_t
now_and_begin(void *arg)
{
	if (arg == &k)
		atomic_store(&k.loop->end_wanted, false);
	return k.time.now_ns;
}

/* The end of one stage, seen just before the beginning of the next, does not
   end that one. */
static void
test_end_of_the_last_stage(void)
{
	struct tape_feed_plan p;
	struct tape_clock between = { .now_ns = now_and_begin, .arg = &k };

	ok(fake_open(&k, many(3, MS), NULL, NULL), "%s", k.err.text);
	p = plan(true, 0);
	is_int(tape_loop_begin(k.loop, &p.stage, &k.err), TAPE_OK, "begin");
	atomic_store(&k.loop->end_wanted, true); /* the old one, still */
	k.loop->clock = &between;
	ok(tape_loop_step(k.loop), "one pass");
	ok(k.loop->active, "it goes on");
	k.loop->clock = &k.clock;
	tape_loop_end(k.loop);
	ok(tape_loop_step(k.loop), "and one");
	ok(!k.loop->active, "to its own end");
	fake_release(&k);
}

/* An idle network that fails is told of with the next stage. */
static void
test_fails_idle(void)
{
	struct tape_feed_plan p;

	ok(fake_open(&k, many(3, MS), NULL, NULL), "%s", k.err.text);
	p = plan(true, 0);
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	k.poll_fails_at = k.polls + 1;
	ok(tape_loop_step(k.loop), "one pass more");
	is_int(tape_loop_error(k.loop)->status, TAPE_OK, "not told yet");
	p.stage.rules.base_ns = k.time.now_ns;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	is_int(tape_loop_error(k.loop)->status, TAPE_E_IO, "told");
	is_int(tape_loop_stats(k.loop)->stop, TAPE_LOOP_BROKEN, "as broken");
	is_int(tape_loop_stats(k.loop)->sent, 0, "nothing was sent");
	fake_release(&k);
}

/* Takes what is in the post: how many notes, and which flags. */
static size_t
take_post(unsigned *flags)
{
	const struct tape_note *v = NULL;

	return tape_post_take(k.post, 0, &v, flags);
}

/* Near a send notes wait, but not those that the feeder needs. */
static void
test_notes_put_off(void)
{
	const struct tape_note n = { .kind = TAPE_NOTE_DONE, .loop = 1 };
	unsigned flags = 0;

	ok(fake_open(&k, many(1, MS), NULL, NULL), "%s", k.err.text);
	for (int i = 1; i < TAPE_POST_BATCH; i++)
		tape_loop_tell(k.loop, &n, false);
	tape_loop_flush_if(k.loop, true);
	is_int((int64_t)take_post(&flags), 0, "a few wait");
	tape_loop_tell(k.loop, &n, false);
	tape_loop_flush_if(k.loop, true);
	is_int((int64_t)take_post(&flags), TAPE_POST_BATCH, "many do not");
	tape_loop_tell(k.loop, &n, true);
	tape_loop_tell(k.loop, &n, false);
	tape_loop_flush_if(k.loop, true);
	is_int((int64_t)take_post(&flags), 2, "nor does an urgent one");
	tape_loop_tell(k.loop, &n, false);
	tape_loop_flush_if(k.loop, true);
	is_int((int64_t)take_post(&flags), 0, "which is urgent once");
	tape_loop_flush_if(k.loop, false);
	is_int((int64_t)take_post(&flags), 1, "with no send near none waits");
	fake_release(&k);
}

static size_t notes_at_poll;
static unsigned flags_at_poll;

static enum tape_status
look_at_post(void *self, int64_t deadline_ns, struct tape_err *err)
{
	(void)self;
	(void)deadline_ns;
	(void)err;
	notes_at_poll = take_post(&flags_at_poll);
	return TAPE_OK;
}

/* Whoever hears that the stage is over has heard of each of its requests. */
static void
test_notes_before_the_end(void)
{
	struct tape_feed_plan p;
	struct tape_request r;
	struct tape_flight *f = NULL;

	ok(fake_open(&k, many(1, MS), NULL, NULL), "%s", k.err.text);
	k.loop->net.poll = look_at_post;
	p = plan(true, 0);
	tape_schema_init(TAPE_KIND_REQUEST, &r);
	r.id = tape_str_of("last");
	is_int(tape_flight_open(&f, &course, &r, &k.err), TAPE_OK, "flight");
	f->doomed = true; /* it ends in the pass in which it begins */
	is_int(tape_loops_begin(k.loops, &p.stage, &k.err), TAPE_OK, "begin");
	is_int(tape_loops_add(k.loops, f, &k.err), TAPE_OK, "a request");
	tape_loops_end(k.loops);
	ok(tape_loop_step(k.loop), "one pass");
	is_int(flags_at_poll, TAPE_NOTE_DRAINED, "it is drained");
	is_int((int64_t)notes_at_poll, 2, "after it began and ended");
	fake_release(&k);
}

int
main(void)
{
	is_int(tape_target_open(
		   &target, NULL, "http://h", "/v1/completions", NULL),
	    TAPE_OK, "target");
	test_open_loop();
	test_cap();
	test_closed_loop();
	test_cycle_in_time();
	test_sessions();
	test_doomed_at_the_end();
	test_duration();
	test_abort();
	test_interrupt();
	test_bodies_held_back();
	test_failures_of_ours();
	test_network_fails();
	test_network_is_deaf();
	test_worse_reason();
	test_failures_in_the_grace();
	test_end_of_the_last_stage();
	test_fails_idle();
	test_notes_put_off();
	test_notes_before_the_end();
	tape_target_release(&target);
	(void)many(0, 0);
	return done_testing();
}
