/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a loop sends again, and what it cancels on purpose. */
#include "engine/loop_impl.h"

#include "base/num.h"
#include "unit/replay_tape.h"

#define S TAPE_NS_PER_S

#define REQUEST(id, t)                                                         \
 "{\"kind\":\"request\",\"id\":\"" id "\",\"t_ns\":" t                         \
 ",\"input\":{\"text\":\"x\"}}\n"
#define TURN(id, session, rest)                                                \
 "{\"kind\":\"request\",\"id\":\"" id "\",\"session\":\"" session "\"," rest   \
 "\"input\":{\"text\":\"x\"}}\n"

/* The nth exchange of an id, from 1. */
static const struct seen *
nth(const char *id, int n)
{
	static const struct seen none;

	for (size_t i = 0; i < seen_n; i++)
		if (strcmp(seen[i].id, id) == 0 && --n == 0)
			return &seen[i];
	ok(false, "no such exchange of %s", id);
	return &none;
}

/* As plan, with retries after 1 s. */
static struct tape_feed_plan
retry_plan(bool open, size_t slots, uint64_t retries)
{
	struct tape_feed_plan p = plan(open, slots);

	p.stage.attempts = (struct tape_attempts){ .retries = retries,
		.on = TAPE_ATTEMPTS_ON,
		.delay_ns = S,
		.delay_max_ns = 60 * S };
	return p;
}

/* 503 for the first attempts, as many as the id's last digit says. */
static struct fake_answer
fail_first(const struct tape_flight *f)
{
	struct fake_answer a = fake_default(f);

	if (f->attempt <= f->id.p[f->id.len - 1] - '0') {
		a.status = 503;
		a.class = TAPE_HTTP_HTTP;
	}
	return a;
}

static void
test_open_loop(void)
{
	struct tape_feed_plan p;
	const struct tape_loop_stats *s;

	ok(fake_open(&k,
	       REQUEST("a0", "0") REQUEST("b2", "0") REQUEST("c9", "1000000"),
	       NULL, NULL),
	    "%s", k.err.text);
	k.plan = fail_first;
	p = retry_plan(true, 0, 3);
	is_int(fake_run(&k, &p), TAPE_EOF, "drained: %s", k.err.text);
	s = tape_loop_stats(k.loop);
	is_int(s->sent, 3, "three requests");
	is_int(s->done, 2, "two done");
	is_int(s->failed, 1, "one failed at last");
	is_int(s->retried, 2, "two were sent again");
	is_int(s->retries, 5, "five times");
	is_int((int64_t)k.started, 8, "eight on the wire");
	is_int(s->late.max, 0, "no attempt was late");
	read_tape();
	is_int((int64_t)seen_n, 8, "eight exchanges");
	is_int(nth("b2", 1)->attempt, 1, "b2: the first");
	is_int(nth("b2", 1)->retry_ns, 1500 * MS, "is followed at 1.5 s");
	is_int(nth("b2", 1)->origin_start_ns, TAPE_ABSENT_I64, "is the first");
	is_int(nth("b2", 2)->attempt, 2, "the second");
	is_int(nth("b2", 2)->start_ns, 1500 * MS, "a second after its end");
	is_int(nth("b2", 2)->due_ns, 1500 * MS, "when it was due");
	is_int(nth("b2", 3)->start_ns, 4000 * MS, "the third two seconds");
	is_int(nth("b2", 3)->origin_start_ns, 0, "began with the first");
	is_int(nth("b2", 3)->origin_due_ns, 0, "as planned");
	is_int(nth("b2", 3)->retry_ns, TAPE_ABSENT_I64, "and is the last");
	is_str(nth("b2", 3)->class, "", "done");
	is_int(nth("c9", 4)->attempt, 4, "c9 is tried four times");
	is_str(nth("c9", 4)->class, "http", "in vain");
	is_int(nth("c9", 4)->origin_due_ns, MS, "since then");
	is_int(nth("c9", 4)->retry_ns, TAPE_ABSENT_I64, "and no more");
	ok(nth("c9", 3)->x != nth("c9", 4)->x, "each is an exchange");
	fake_release(&k);
}

/* The slot is taken until the last attempt has ended. */
static void
test_closed_loop(void)
{
	struct tape_feed_plan p;

	ok(fake_open(&k, REQUEST("a1", "0") REQUEST("b0", "0"), NULL, NULL),
	    "%s", k.err.text);
	k.plan = fail_first;
	p = retry_plan(false, 1, 1);
	is_int(fake_run(&k, &p), TAPE_EOF, "drained: %s", k.err.text);
	read_tape();
	is_int((int64_t)seen_n, 3, "three exchanges");
	is_int(nth("a1", 2)->end_ns, 2000 * MS, "the second attempt ends");
	is_int(nth("b0", 1)->start_ns, 2000 * MS, "then the next one begins");
	is_int((int64_t)k.open_max, 1, "one at a time");
	fake_release(&k);
}

/* after waits for the last attempt, and its failure fails dependants. */
static void
test_sessions(void)
{
	struct tape_feed_plan p;

	ok(fake_open(&k,
	       TURN("a1", "a", "\"t_ns\":0,")
		   TURN("a0", "a", "\"after\":[\"a1\"],\"delay_ns\":1000000,")
		       TURN("b9", "b", "\"t_ns\":0,")
			   TURN("b0", "b", "\"after\":[\"b9\"],"),
	       NULL, NULL),
	    "%s", k.err.text);
	k.plan = fail_first;
	p = retry_plan(true, 0, 2);
	is_int(fake_run(&k, &p), TAPE_EOF, "drained: %s", k.err.text);
	is_int(tape_loop_stats(k.loop)->doomed, 1, "b0 is not sent");
	read_tape();
	is_int((int64_t)seen_n, 2 + 1 + 3 + 1, "all is there");
	is_int(nth("a1", 2)->end_ns, 2000 * MS, "a1 is done");
	is_int(nth("a0", 1)->start_ns, 2001 * MS, "a0 goes on from there");
	is_str(nth("b0", 1)->cause, "predecessor", "b0 fails with b9");
	is_int(nth("b0", 1)->attempt, 1, "at once");
	ok(nth("b0", 1)->start_ns >= nth("b9", 3)->end_ns, "then");
	fake_release(&k);
}

/* Requests count, not attempts. */
static void
test_abort(void)
{
	struct tape_feed_plan p;
	const struct tape_loop_stats *s;

	ok(fake_open(&k,
	       REQUEST("a9", "0") REQUEST("b9", "1") REQUEST("c9", "2")
		   REQUEST("d9", "3") REQUEST("e9", "4"),
	       NULL, NULL),
	    "%s", k.err.text);
	k.plan = fail_first;
	p = retry_plan(false, 1, 4);
	p.stage.abort_after = 3;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained: %s", k.err.text);
	s = tape_loop_stats(k.loop);
	is_int(s->stop, TAPE_LOOP_ABORTED, "aborted");
	is_int(s->failed, 3, "after three requests");
	is_int(s->retries, 12, "of five attempts each");
	fake_release(&k);
}

/* What waits to be sent again when the duration is over may be, in the grace;
   what would be later is not. */
static void
test_duration(void)
{
	struct tape_feed_plan p;
	const struct tape_loop_stats *s;

	ok(fake_open(&k,
	       REQUEST("a1", "0") REQUEST("b2", "0")
		   REQUEST("c0", "9000000000"),
	       NULL, NULL),
	    "%s", k.err.text);
	k.plan = fail_first;
	p = retry_plan(true, 0, 3);
	p.stage.duration_ns = 1000 * MS;
	p.stage.grace_ns = 2500 * MS;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained: %s", k.err.text);
	s = tape_loop_stats(k.loop);
	is_int(s->stop, TAPE_LOOP_DURATION, "by the duration");
	is_int(s->done, 1, "a1 is done");
	is_int(s->failed, 1, "b2 is not");
	is_int(s->cancelled, 0, "without being cancelled");
	read_tape();
	is_int(nth("a1", 2)->start_ns, 1500 * MS, "sent again in the grace");
	is_int(nth("b2", 2)->retry_ns, TAPE_ABSENT_I64,
	    "4 s is beyond it: that was the last");
	is_int((int64_t)seen_n, 4, "no more");
	fake_release(&k);
}

static int
interrupted_at_1s(void)
{
	return k.time.now_ns - EPOCH_NS >= S;
}

static void
test_interrupt(void)
{
	struct tape_feed_plan p;
	const struct tape_loop_stats *s;

	ok(fake_open(&k,
	       REQUEST("a1", "0") REQUEST("b1", "900000000")
		   REQUEST("c0", "9000000000"),
	       interrupted_at_1s, NULL),
	    "%s", k.err.text);
	k.plan = fail_first;
	p = retry_plan(true, 0, 3);
	is_int(fake_run(&k, &p), TAPE_EOF, "drained: %s", k.err.text);
	s = tape_loop_stats(k.loop);
	is_int(s->stop, TAPE_LOOP_INTERRUPTED, "interrupted");
	is_int(s->sent, 2, "two were sent");
	is_int(s->failed, 2, "and failed");
	is_int(s->cancelled, 1, "one as it waited");
	read_tape();
	is_int((int64_t)seen_n, 3, "each attempt is there");
	is_int(nth("a1", 1)->retry_ns, 1500 * MS, "a1 was to be sent again");
	is_str(nth("a1", 2)->class, "cancelled", "and was not");
	is_str(nth("a1", 2)->cause, "unsent", "as it says");
	is_int(nth("a1", 2)->attempt, 2, "the second attempt");
	is_int(nth("a1", 2)->origin_start_ns, 0, "of the first");
	is_str(nth("b1", 1)->class, "http", "b1 failed behind that");
	is_int(nth("b1", 1)->retry_ns, TAPE_ABSENT_I64, "and stays so");
	fake_release(&k);
}

/* The network fails while one waits. */
static void
test_broken(void)
{
	struct tape_feed_plan p;

	ok(fake_open(&k, REQUEST("a9", "0") REQUEST("b9", "1"), NULL, NULL),
	    "%s", k.err.text);
	k.plan = fail_first;
	k.poll_fails_at = 20;
	p = retry_plan(true, 0, 100);
	is_int(fake_run(&k, &p), TAPE_EOF, "drained: %s", k.err.text);
	is_int(tape_loop_stats(k.loop)->stop, TAPE_LOOP_BROKEN, "broken");
	is_int(tape_loop_stats(k.loop)->sent, 2, "two");
	is_int(tape_loop_stats(k.loop)->failed, 2, "both failed");
	read_tape();
	for (size_t i = 0; i < seen_n; i++)
		if (seen[i].retry_ns == TAPE_ABSENT_I64)
			is_str(seen[i].id[0] == 'a' ? "a9" : "b9", seen[i].id,
			    "the last attempt");
	fake_release(&k);
}

/* All of them, 200 ms after their last byte was out. */
static struct tape_feed_plan
cancel_plan(double ratio)
{
	struct tape_feed_plan p = plan(true, 0);

	p.stage.attempts = (struct tape_attempts){ .cancel_ratio = ratio,
		.cancel_after_ns = 200 * MS };
	return p;
}

static struct fake_answer
sent_late(const struct tape_flight *f)
{
	struct fake_answer a = fake_default(f);

	a.head_ns = 100 * MS;
	a.sent_ns = 50 * MS;
	if (f->id.p[0] == 'q')
		a.end_ns = 120 * MS;
	if (f->id.p[0] == 'f') {
		a.end_ns = 150 * MS;
		a.class = TAPE_HTTP_RESET;
	}
	return a;
}

static void
test_cancel(void)
{
	struct tape_feed_plan p;
	const struct tape_loop_stats *s;

	ok(fake_open(&k,
	       REQUEST("a", "0") REQUEST("q", "0") REQUEST("f", "0") TURN("s",
		   "s", "\"t_ns\":0,") TURN("t", "s", "\"after\":[\"s\"],"),
	       NULL, NULL),
	    "%s", k.err.text);
	k.plan = sent_late;
	p = cancel_plan(1);
	p.stage.abort_after = 2;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained: %s", k.err.text);
	s = tape_loop_stats(k.loop);
	is_int(s->sent, 5, "five sent: a cancelled turn lets the next one go");
	is_int(s->planned, 3, "three cancelled on purpose");
	is_int(s->done, 1, "one was quicker");
	is_int(s->failed, 1, "one failed by itself");
	is_int(s->cancelled, 0, "none else was cancelled");
	is_int(s->stop, TAPE_LOOP_ON, "and that is no row of failures");
	read_tape();
	is_str(of("a")->class, "cancelled", "class");
	is_str(of("a")->cause, "planned", "cause");
	is_int(of("a")->cancel_ns, 250 * MS, "200 ms after it was out");
	is_int(of("a")->end_ns, 250 * MS, "and not late");
	is_str(of("q")->class, "", "q is whole");
	is_int(of("q")->cancel_ns, 250 * MS, "which would have been cancelled");
	is_str(of("f")->class, "reset", "f failed");
	is_int(of("t")->start_ns, 250 * MS, "t behind s");
	fake_release(&k);
}

/* The same requests in each run, none of the warm-up. */
static void
test_which(void)
{
	static char lines[40000];
	size_t len = 0;
	struct tape_feed_plan p;
	bool first[100];
	int n = 0, same = 0;

	for (int i = 0; i < 100; i++)
		len += (size_t)snprintf(
		    lines + len, sizeof(lines) - len, REQUEST("r%d", "0"), i);
	ok(fake_open(&k, lines, NULL, NULL), "%s", k.err.text);
	p = cancel_plan(0.3);
	p.stage.measured = false;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	is_int(tape_loop_stats(k.loop)->planned, 0, "none of a warm-up");
	for (int round = 0; round < 2; round++) {
		p = cancel_plan(0.3);
		p.stage.rules.base_ns = k.time.now_ns;
		is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	}
	read_tape();
	for (size_t i = 100; i < seen_n; i++) {
		uint64_t id = 0;
		bool is = strcmp(seen[i].cause, "planned") == 0;

		if (tape_num_u64(seen[i].id + 1, 0, 99, &id, NULL) != TAPE_OK)
			break;
		if (i < 200)
			first[id] = is;
		else
			same += first[id] == is;
		n += is;
	}
	ok(n > 30 && n < 90, "about a third: %d of 200", n);
	is_int(same, 100, "the same in both runs");
	fake_release(&k);
}

/* A grace that ends first wins, and counts as ever. */
static void
test_cancel_and_grace(void)
{
	struct tape_feed_plan p;

	ok(fake_open(&k, REQUEST("a", "0"), NULL, NULL), "%s", k.err.text);
	p = cancel_plan(1);
	p.stage.duration_ns = 50 * MS;
	p.stage.grace_ns = 50 * MS;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained");
	is_int(tape_loop_stats(k.loop)->cancelled, 1, "cancelled by the grace");
	is_int(tape_loop_stats(k.loop)->planned, 0, "not on purpose");
	read_tape();
	is_str(of("a")->cause, "cancelled", "cause");
	fake_release(&k);
}

int
main(void)
{
	test_open_loop();
	test_closed_loop();
	test_sessions();
	test_abort();
	test_duration();
	test_interrupt();
	test_broken();
	test_cancel();
	test_which();
	test_cancel_and_grace();
	return done_testing();
}
