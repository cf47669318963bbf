/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeding from a trace that is still being read, one request a step. */
#include "unit/replay_tape.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

static struct tape_buf lines;

/* A stage whose trace has no known end. */
static struct tape_feed_plan
endless(bool open, size_t slots)
{
	struct tape_feed_plan p = plan(open, slots);

	p.count = UINT64_MAX;
	p.once = true;
	return p;
}

static void add(const char *fmt, ...) TAPE_PRINTF(1, 2);

static void
add(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)tape_buf_add_fmt(&lines, "{\"kind\":\"request\",%s}\n", text);
}

static void
add_timed(int from, int to, int64_t gap_ns)
{
	for (int i = from; i < to; i++)
		add("\"id\":\"r%d\",\"t_ns\":%" PRId64
		    ",\"input\":{\"text\":\"x\"}",
		    i, i * gap_ns);
}

static void
open_with(uint64_t head)
{
	fake_head = head;
	ok(fake_open(&k, lines.data, NULL, NULL), "open: %s", k.err.text);
	tape_buf_clear(&lines);
}

/* Long, and in time. */
static void
test_in_time(void)
{
	struct tape_feed_plan p;
	char id[16];
	int wrong = 0;

	add_timed(0, 1000, MS);
	open_with(20);
	p = endless(true, 0);
	is_int(fake_run(&k, &p), TAPE_EOF, "drained: %s", k.err.text);
	is_int(tape_feed_cut(k.feed)->status, TAPE_OK, "to the end");
	is_int((int64_t)tape_spool_info(k.spool)->requests, 1000,
	    "the length is known at last");
	is_int((int64_t)tape_spool_info(k.spool)->head, 20,
	    "and the head start is what it was");
	read_tape();
	is_int((int64_t)seen_n, 1000, "each is on the tape");
	for (int i = 0; i < 1000; i++) {
		(void)snprintf(id, sizeof(id), "r%d", i);
		wrong += of(id)->due_ns != i * MS;
	}
	is_int(wrong, 0, "due when planned");
	fake_release(&k);
}

/* Bad further on: what comes before is sent and answered. */
static void
test_cut(void)
{
	struct tape_feed_plan p;

	add_timed(0, 300, MS);
	add("\"id\":\"r7\",\"t_ns\":999000000,\"input\":{\"text\":\"x\"}");
	add_timed(1000, 1100, MS);
	open_with(20);
	p = endless(true, 0);
	is_int(fake_run(&k, &p), TAPE_EOF, "drained: %s", k.err.text);
	is_int(tape_feed_cut(k.feed)->status, TAPE_E_FORMAT, "but cut");
	ok(strstr(tape_feed_cut(k.feed)->text, "'r7' is there twice") != NULL,
	    "because: %s", tape_feed_cut(k.feed)->text);
	is_int((int64_t)tape_feed_cut(k.feed)->line, 302, "and where");
	is_int(tape_loop_stats(k.loop)->sent, 300, "all before are sent");
	is_int(tape_loop_stats(k.loop)->done, 300, "and answered");
	is_int(tape_loop_stats(k.loop)->cancelled, 0, "none is cancelled");
	fake_release(&k);
}

/* --requests against an end that was not known. */
static void
test_counts(void)
{
	struct tape_feed_plan p;

	add_timed(0, 100, MS);
	open_with(20);
	p = endless(true, 0);
	p.count = 100;
	is_int(fake_run(&k, &p), TAPE_EOF, "just so many");
	is_int(tape_feed_cut(k.feed)->status, TAPE_OK, "are there");
	is_int(tape_loop_stats(k.loop)->sent, 100, "and sent");
	fake_release(&k);

	add_timed(0, 100, MS);
	open_with(20);
	p = endless(true, 0);
	p.count = 101;
	is_int(fake_run(&k, &p), TAPE_EOF, "one more");
	is_int(tape_feed_cut(k.feed)->status, TAPE_E_FORMAT, "is not");
	ok(strstr(tape_feed_cut(k.feed)->text,
	       "--requests 101 of a trace of 100") != NULL,
	    "says so: %s", tape_feed_cut(k.feed)->text);
	is_int(tape_loop_stats(k.loop)->done, 100, "all were sent");
	fake_release(&k);

	add_timed(0, 100, MS);
	open_with(20);
	p = endless(true, 0);
	p.count = 30;
	is_int(fake_run(&k, &p), TAPE_EOF, "fewer");
	is_int(tape_loop_stats(k.loop)->sent, 30, "are fewer");
	fake_release(&k);
}

/* --loop: the trace begins again when its end is met. */
static void
test_cycle(void)
{
	struct tape_feed_plan p;
	int wrong = 0;

	add_timed(0, 50, 10 * MS);
	open_with(20);
	p = endless(true, 0);
	p.once = false;
	p.count = 130;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained: %s", k.err.text);
	is_int(tape_loop_stats(k.loop)->done, 130, "two passes and a half");
	read_tape();
	for (size_t i = 0; i < seen_n; i++) {
		long n = strtol(seen[i].id + 1, NULL, 10);

		wrong += seen[i].due_ns != (50 * seen[i].pass + n) * 10 * MS;
	}
	is_int(wrong, 0, "each pass a mean gap behind the one before");
	is_int(seen[129].pass, 2, "the third is the last");
	fake_release(&k);
}

/* A warm-up, and then the trace from its beginning. */
static void
test_warm_up(void)
{
	struct tape_feed_plan p;

	add_timed(0, 100, MS);
	open_with(20);
	p = endless(false, 1);
	p.follow = false;
	p.first = tape_spool_info(k.spool)->head - 2;
	p.count = 2;
	p.stage.measured = false;
	is_int(fake_run(&k, &p), TAPE_EOF, "warm-up");
	p = endless(true, 0);
	p.stage.rules.base_ns = k.time.now_ns;
	is_int(fake_run(&k, &p), TAPE_EOF, "measured");
	is_int(tape_loop_stats(k.loop)->done, 100, "all of it");
	read_tape();
	is_str(seen[0].id, "r18", "the last of the head start");
	is_str(seen[1].id, "r19", "are the warm-up");
	fake_release(&k);
}

static struct fake_answer
quick(const struct tape_flight *f)
{
	struct fake_answer a = fake_default(f);

	a.head_ns = MS / 10;
	a.end_ns = MS / 2;
	if (tape_str_is(f->id, "a0"))
		a.class = TAPE_HTTP_TIMEOUT;
	return a;
}

/*
 * Conversations whose next turn is read long after the one before has ended, and
 * one whose turns are read before: both wait for what they name.
 */
static void
test_sessions(void)
{
	enum { TURNS = 40, OTHERS = 200 };
	struct tape_feed_plan p;
	char id[16], before[16];
	int wrong = 0;

	add("\"id\":\"a0\",\"t_ns\":0,\"session\":\"a\","
	    "\"input\":{\"text\":\"x\"}");
	add("\"id\":\"b0\",\"t_ns\":0,\"session\":\"b\","
	    "\"input\":{\"text\":\"x\"}");
	for (int t = 1; t < TURNS; t++) {
		for (int i = 0; i < (t % 2 == 0 ? OTHERS : 0); i++)
			add("\"id\":\"o%d.%d\",\"t_ns\":%" PRId64
			    ",\"input\":{\"text\":\"x\"}",
			    t, i, (t - 1) * 40 * MS + i * MS / 10);
		add("\"id\":\"b%d\",\"session\":\"b\",\"after\":[\"b%d\"],"
		    "\"delay_ns\":%" PRId64 ",\"input\":{\"text\":\"x\"}",
		    t, t - 1, 3 * MS);
	}
	add("\"id\":\"a1\",\"session\":\"a\",\"after\":[\"a0\"],"
	    "\"input\":{\"text\":\"x\"}");
	open_with(20);
	k.plan = quick;
	p = endless(true, 0);
	is_int(fake_run(&k, &p), TAPE_EOF, "drained: %s", k.err.text);
	read_tape();
	is_int((int64_t)seen_n, 3 + TURNS - 1 + OTHERS * (TURNS / 2 - 1),
	    "all are there");
	for (int t = 1; t < TURNS; t++) {
		(void)snprintf(id, sizeof(id), "b%d", t);
		(void)snprintf(before, sizeof(before), "b%d", t - 1);
		wrong += of(id)->due_ns != of(before)->end_ns + 3 * MS;
		wrong += of(id)->start_ns < of(id)->due_ns;
	}
	is_int(wrong, 0, "each turn after the one before and its delay");
	ok((of("a0")->class[0] != 0) && (of("a1")->class[0] != 0),
	    "a failure is known to a turn that is read much later");
	fake_release(&k);
}

/* What shows only when it is rendered ends the trace, too. */
static void
test_no_model(void)
{
	struct tape_feed_plan p;

	for (int i = 0; i < 30; i++)
		add("\"id\":\"r%d\",\"input\":{\"body\":\"{}\",\"path\":\"/x\"}",
		    i);
	add("\"id\":\"r30\",\"input\":{\"text\":\"x\"}");
	open_with(20);
	p = endless(false, 1);
	p.form.model = NULL;
	is_int(fake_run(&k, &p), TAPE_EOF, "drained: %s", k.err.text);
	is_int(tape_feed_cut(k.feed)->status, TAPE_E_FORMAT, "but cut");
	ok(strstr(tape_feed_cut(k.feed)->text, "'r30'") != NULL &&
		strstr(tape_feed_cut(k.feed)->text, "--model") != NULL,
	    "because: %s", tape_feed_cut(k.feed)->text);
	is_int(tape_loop_stats(k.loop)->done, 30, "all before are answered");
	fake_release(&k);
}

int
main(void)
{
	tape_buf_init(&lines, (size_t)64 << 20);
	test_in_time();
	test_cut();
	test_counts();
	test_cycle();
	test_warm_up();
	test_sessions();
	test_no_model();
	tape_buf_release(&lines);
	return done_testing();
}
