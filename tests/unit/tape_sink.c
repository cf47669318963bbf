/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/tape_sink.h"

#include "engine/fidelity.h"
#include "unit/replay_fake.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct fake k;
static struct tape_target target;
static struct tape_course course = { .run = 1,
	.api = "completions",
	.model = "m",
	.target = "http://h",
	.stream = true };
static struct tape_secrets secrets;
static char first[TAPE_SINK_FIRST_TEXT];
static int firsts;

static void
keep_first(void *arg, const char *text)
{
	(void)arg;
	firsts++;
	(void)snprintf(first, sizeof(first), "%s", text);
}

static struct tape_feed_plan
plan(void)
{
	struct tape_feed_plan p = { .course = &course,
		.target = &target,
		.count = tape_spool_info(k.spool)->requests };

	p.form.api = tape_api_find(tape_str_of("completions"));
	p.form.model = "m";
	p.form.stream = true;
	p.stage.measured = true;
	p.stage.rules.slots = 1;
	p.stage.rules.base_ns = EPOCH_NS;
	return p;
}

#define REQ(id)                                                                \
 "{\"kind\":\"request\",\"id\":\"" id                                          \
 "\",\"session\":\"s\",\"turn\":4,\"output_tokens\":9,\"input_tokens\":1,"     \
 "\"labels\":{\"a\":1},\"input\":{\"text\":\"x\"}}\n"

static struct tape_reader *reader;
static struct tape_record rec;

/* From here on next gives the tape's records. */
static void
read_back(void)
{
	struct tape_reader_opts ro = { .formats = TAPE_FORMAT_WIRE };

	ok(fake_close_tape(&k), "the tape is whole: %s", k.err.text);
	is_int(
	    tape_reader_open_mem(&reader, k.tape.data, k.tape.len, &ro, &k.err),
	    TAPE_OK, "and read");
	tape_record_init(&rec);
}

/* Plays the requests and reads back. */
static void
play(
    const char *lines, struct fake_answer (*answer)(const struct tape_flight *))
{
	struct tape_sink_opts so = { .secrets = &secrets,
		.first_failure = keep_first };
	struct tape_feed_plan p;

	firsts = 0;
	ok(fake_open(&k, lines, NULL, &so), "%s", k.err.text);
	k.plan = answer;
	p = plan();
	is_int(fake_run(&k, &p), TAPE_EOF, "played: %s", k.err.text);
	read_back();
}

/* The next record of that kind. */
static bool
next(int kind)
{
	while (tape_reader_next(reader, &rec, &k.err) == TAPE_OK)
		if (rec.kind == kind)
			return true;
	return false;
}

static void
done(void)
{
	tape_record_release(&rec);
	tape_reader_free(reader);
	fake_release(&k);
}

static bool
is(struct tape_str got, const char *want)
{
	if (tape_str_is(got, want))
		return true;
	printf("# got '%.*s'\n", (int)got.len, got.p == NULL ? "" : got.p);
	return false;
}

static struct fake_answer
plain(const struct tape_flight *f)
{
	struct fake_answer a = fake_default(f);

	a.chunk = "data: open-sesame\n\n";
	return a;
}

static void
test_exchange(void)
{
	const struct tape_exchange *e = &rec.u.exchange;

	play(REQ("a"), plain);
	ok(next(TAPE_KIND_EXCHANGE), "an exchange");
	is_int(e->t.x, INT64_C(1) << 32, "x: loop 1, number 0");
	is_int(e->t.attempt, 1, "first attempt");
	ok(is(e->t.id, "a") && is(e->t.session, "s"), "id, session");
	is_int(e->t.turn, 4, "turn");
	ok(is(e->t.stage, "measure") && is(e->t.api, "completions") &&
		is(e->t.model, "m") && is(e->t.target, "http://h"),
	    "stage, api, model, target");
	ok(is(e->t.labels, "{\"a\":1}"), "labels");
	is_int(e->t.req.output_tokens, 9, "asked");
	ok(e->t.req.bytes > 10 && e->t.req.hash.len == 16, "body's digest");
	ok(e->t.req.body.p == NULL, "but not the body");
	is_int(e->t.start_ns, 0, "start, from the epoch");
	is_int(e->t.head_ns, 10 * MS, "head");
	is_int(e->t.end_ns, 500 * MS, "end");
	is_int(e->t.status, 200, "status");
	ok(is(e->t.headers, "[[\"Server\",\"fake\"]]"), "no cookie");
	is_int((int64_t)e->reads.t_ns.n, 1, "one read");
	is_int(e->reads.t_ns.v[0], 500 * MS, "its time, from start");
	is_int(e->reads.lag_ns.v[0], -1, "lag unknown");
	is_int(e->reads.bytes.v[0], 19, "its bytes");
	ok(is(e->body, "data: ***********\n\n"), "a known secret is masked");
	ok(e->t.error.class.p == NULL, "no error");
	is_int(e->parts, TAPE_ABSENT_I64, "no parts");
	is_int(firsts, 0, "no failure");
	done();
}

static struct fake_answer
with_error(const struct tape_flight *f)
{
	struct fake_answer a = fake_default(f);

	a.status = 429;
	a.class = TAPE_HTTP_HTTP;
	a.chunk = "{\"error\":{\"code\":1,\"x\":[{\"message\":\"no\"}],"
		  "\"message\":\"slow\\u0007down open-sesame\"},"
		  "\"message\":\"later\"}";
	if (tape_str_is(f->id, "b"))
		a.chunk = "{\"detail\":\"Not Found\"}";
	if (tape_str_is(f->id, "c"))
		a.chunk = "<html>\x01\n";
	if (tape_str_is(f->id, "d"))
		a.chunk = "{\"error\":\"plain\"}";
	if (tape_str_is(f->id, "e"))
		a.chunk = "{\"object\":\"error\",\"message\":\"vllm\"}";
	return a;
}

static void
test_errors(void)
{
	const struct tape_failure *e = &rec.u.exchange.t.error;
	static const char *const want[] = { "slow\adown ***********",
		"Not Found", "message", "plain", "vllm" };

	play(REQ("a") REQ("b") REQ("c") REQ("d") REQ("e"), with_error);
	for (int i = 0; i < 5; i++) {
		ok(next(TAPE_KIND_EXCHANGE), "an exchange");
		ok(is(e->class, "http") && is(e->cause, "cause"), "class");
		ok(is(e->message, want[i]), "message %d", i);
	}
	is_int(firsts, 1, "the first failure is told");
	ok(strstr(first, "request 'a' failed: HTTP 429: {\"error\"") == first,
	    "with its body: %s", first);
	ok(strstr(first, "sesame") == NULL, "without the secret");
	done();
}

static struct fake_answer
long_answer(const struct tape_flight *f)
{
	static char chunk[10001];
	struct fake_answer a = fake_default(f);

	memset(chunk, 'x', sizeof(chunk) - 1);
	a.end_ns = 60 * TAPE_NS_PER_S;
	a.reads = 20;
	a.chunk = chunk;
	if (tape_str_is(f->id, "bin"))
		chunk[5] = '\x80';
	return a;
}

static void
test_parts(void)
{
	const struct tape_exchange *e = &rec.u.exchange;
	int64_t bytes = 0, reads = 0, seq = 0;

	play(REQ("a"), long_answer);
	while (tape_reader_next(reader, &rec, &k.err) == TAPE_OK) {
		if (rec.kind == TAPE_KIND_PART) {
			is_int(e->seq, seq++, "part");
			ok(is(e->t.id, "a"), "of it");
			ok((e->seq == 0) == (e->t.headers.p != NULL),
			    "headers in the first one");
			is_int(e->t.status, 200, "status");
			is_int(e->t.end_ns, TAPE_ABSENT_I64, "no end yet");
		} else if (rec.kind != TAPE_KIND_EXCHANGE) {
			continue;
		}
		bytes += (int64_t)e->body.len;
		reads += (int64_t)e->reads.t_ns.n;
		if (rec.kind == TAPE_KIND_EXCHANGE)
			is_int(e->parts, seq, "the exchange counts them");
	}
	is_int(seq, 6, "one each 10 s");
	is_int(bytes, 200000, "no byte twice");
	is_int(reads, 20, "no read twice");
	done();
}

static void
test_base64(void)
{
	play(REQ("bin"), long_answer);
	ok(next(TAPE_KIND_PART), "a part");
	ok(rec.u.exchange.body.p == NULL, "is no text");
	ok(rec.u.exchange.body_b64.len > 13336, "but base64");
	done();
}

static void
test_clock(void)
{
	int ticks = 0, steps = 0;

	/* 60 s; the wall clock steps by 1 ms somewhere. */
	play(REQ("a"), long_answer);
	while (next(TAPE_KIND_CLOCK)) {
		const struct tape_tick *t = &rec.u.clock;

		ticks++;
		steps += t->step == 1;
		ok(t->width_ns == 0 && t->offset_ns == 0, "at %d s",
		    (int)(t->t_ns / TAPE_NS_PER_S));
	}
	ok(ticks >= 60 && ticks <= 64, "%d records of the clock", ticks);
	is_int(steps, 0, "no step");
	done();
}

static void
test_step(void)
{
	struct tape_sink_clock c;

	ok(fake_open(&k, REQ("a"), NULL, NULL), "%s", k.err.text);
	(void)tape_sink_step(k.sink, 0);
	k.time.now_ns += TAPE_NS_PER_S;
	k.time.wall_offset_ns += 50 * TAPE_NS_PER_US;
	(void)tape_sink_step(k.sink, 0);
	tape_sink_take_clock(k.sink, &c);
	is_int(c.steps, 0, "50 us are no step");
	k.time.now_ns += TAPE_NS_PER_S;
	k.time.wall_offset_ns -= 60 * TAPE_NS_PER_US;
	(void)tape_sink_step(k.sink, 0);
	tape_sink_take_clock(k.sink, &c);
	is_int(c.steps, 1, "60 us are one");
	is_int(c.step_max_ns, 60000, "so large");
	tape_sink_take_clock(k.sink, &c);
	is_int(c.steps, 0, "told once");
	read_back();
	ok(next(TAPE_KIND_CLOCK) && rec.u.clock.step == TAPE_ABSENT_BOOL &&
		rec.u.clock.offset_ns == 0,
	    "at first");
	ok(next(TAPE_KIND_CLOCK) && rec.u.clock.step == TAPE_ABSENT_BOOL &&
		rec.u.clock.offset_ns == 50000,
	    "50 us later");
	ok(next(TAPE_KIND_CLOCK) && rec.u.clock.step == 1 &&
		rec.u.clock.offset_ns == -10000,
	    "the step is in its record");
	done();
}

/* The output goes away: nothing hangs, the loop stops, the reason is kept. */
static struct fake_answer
several(const struct tape_flight *f)
{
	struct fake_answer a = fake_default(f);

	a.reads = 4;
	a.chunk = "data: a\n\ndata: b\n\ndata: c\n\n";
	a.late_ns = tape_str_is(f->id, "b") ? 2 * MS : MS;
	return a;
}

/* Plays two requests as a stage; what is counted of them when drained. */
static struct tape_merged
counts_of(bool measured)
{
	struct tape_feed_plan p;
	struct tape_merged m;

	ok(fake_open(&k, REQ("a") REQ("b"), NULL, NULL), "%s", k.err.text);
	k.plan = several;
	p = plan();
	p.stage.measured = measured;
	is_int(fake_run(&k, &p), TAPE_EOF, "played: %s", k.err.text);
	tape_sink_drain(k.sink);
	tape_sink_take_merged(k.sink, &m);
	return m;
}

static void
test_merged(void)
{
	struct tape_merged m = counts_of(true);

	is_int(m.events, 24, "events");
	is_int(m.reads, 8, "reads of several");
	is_int(m.behind, 16, "events merged");
	is_int(m.late, 8, "those of the request that was read late");
	tape_sink_take_merged(k.sink, &m);
	is_int(m.events, 0, "taken once");
	fake_release(&k);
	is_int(counts_of(false).events, 0, "none of a warm-up");
	fake_release(&k);
}

static void
test_lost_output(void)
{
	struct tape_feed_plan p;
	int fds[2];
	struct tape_out_opts opts = { .flush_bytes = 300 };
	struct tape_err err = { 0 };
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	ok(fd >= 0 && tape_out_open_fd(&fake_output, fd, "full", &opts, NULL) ==
			  TAPE_OK,
	    "a full device");
	ok(!fake_open(&k, REQ("a"), NULL, NULL), "no header can be written");
	fake_release(&k);

	/* A pipe whose reader leaves after the header. */
	ok(pipe2(fds, O_CLOEXEC) == 0 && tape_out_open_fd(&fake_output, fds[1],
					     "pipe", &opts, NULL) == TAPE_OK,
	    "a pipe");
	ok(fake_open(&k, REQ("a") REQ("b") REQ("c"), NULL, NULL), "%s",
	    k.err.text);
	(void)close(fds[0]);
	p = plan();
	is_int(fake_run(&k, &p), TAPE_EOF, "ends in order");
	is_int(tape_loop_stats(k.loop)->stop, TAPE_LOOP_BROKEN, "stopped");
	ok(tape_sink_failed(k.sink), "for that");
	is_int(tape_sink_close(k.sink, &err), TAPE_E_IO, "and says why");
	is_int(err.sys, EPIPE, "nobody reads");
	k.sink = NULL;
	fake_release(&k);
}

/* Reads the pipe once nothing has moved for a while. */
static void *
late_reader(void *arg)
{
	const int *fd = arg;
	char block[65536];
	long long before = -1, now;
	int still = 0, held = 0;

	for (int i = 0; i < 1000 && still < 15; i++) {
		(void)usleep(20000);
		now = atomic_load(&tape_loop_live(k.loop)->reads);
		still = ioctl(*fd, FIONREAD, &held) == 0 && held > 60000 &&
				now == before
			    ? still + 1
			    : 0;
		before = now;
	}
	while (read(*fd, block, sizeof(block)) > 0)
		continue;
	return NULL;
}

/* An output that blocks holds the network up; that is on record. */
static void
test_blocked_output(void)
{
	struct tape_sink_opts so = { .clock = &tape_clock_system,
		.queue_items = 2 };
	struct tape_out_opts opts = { .flush_bytes = 300 };
	struct tape_fidelity_input in = { .run = 1, .wall_ns = TAPE_NS_PER_S };
	struct tape_fidelity_text text;
	struct tape_feed_plan p;
	pthread_t t;
	int fds[2];

	ok(pipe2(fds, O_CLOEXEC) == 0 && tape_out_open_fd(&fake_output, fds[1],
					     "pipe", &opts, NULL) == TAPE_OK,
	    "a pipe");
	ok(fake_open(&k, REQ("a") REQ("b") REQ("c"), NULL, &so), "%s",
	    k.err.text);
	k.plan = long_answer;
	is_int(tape_sink_start(k.sink, &k.err), TAPE_OK, "a writer");
	ok(pthread_create(&t, NULL, late_reader, &fds[0]) == 0, "a reader");
	p = plan();
	is_int(fake_run(&k, &p), TAPE_EOF, "played: %s", k.err.text);
	in.stats = tape_loop_stats(k.loop);
	ok(in.stats->queue_stalls > 0, "stalls are counted");
	ok(in.stats->queue_stalled_ns > 100 * MS, "with their time");
	tape_fidelity_judge(&text, &in);
	is_int(text.rec.queue.stalls, in.stats->queue_stalls, "in the record");
	is_int(text.rec.queue.stalled_ns, in.stats->queue_stalled_ns, "both");
	is_int(text.verdict, TAPE_FIDELITY_LIMITED, "which decides");
	ok(text.reasons_n > 0 && strstr(text.reasons[0], "writer held") != NULL,
	    "and says why: %s", text.reasons[0]);
	ok(fake_close_tape(&k), "nothing is lost");
	ok(pthread_join(t, NULL) == 0, "the reader ends");
	(void)close(fds[0]);
	fake_release(&k);
}

static void
keep_warning(void *arg, const char *text)
{
	(void)arg;
	firsts++;
	(void)snprintf(first, sizeof(first), "%s", text);
}

/* A reader beside the archive that takes nothing is given up, and told of;
   alone, its slowness is the end. */
static void
test_impatience(void)
{
	struct tape_sink_opts so = { .warn = keep_warning };
	struct tape_out_opts opts = { .flush_bytes = 300 };
	struct tape_out *out = NULL;
	struct tape_feed_plan p;
	struct tape_err err = { 0 };
	int fds[2];

	opts.patience.stall_ns = 30 * MS;
	firsts = 0;
	ok(pipe2(fds, O_CLOEXEC) == 0 &&
		tape_out_open_fd(&out, fds[1], "pipe", &opts, NULL) == TAPE_OK,
	    "a pipe");
	ok(fake_open(&k, REQ("a") REQ("b"), NULL, &so), "%s", k.err.text);
	tape_writer_tee(k.writer, out);
	k.plan = long_answer;
	p = plan();
	is_int(fake_run(&k, &p), TAPE_EOF, "played");
	is_int(tape_loop_stats(k.loop)->stop, TAPE_LOOP_ON, "to the end");
	ok(!tape_sink_failed(k.sink), "the archive goes on");
	is_int(firsts, 1, "with a remark, once");
	is_str(first,
	    "pipe: its reader took nothing for 0.03 s: it is given up, the "
	    "archive goes on",
	    "which says what");
	read_back();
	ok(next(TAPE_KIND_EXCHANGE) && next(TAPE_KIND_EXCHANGE), "with all");
	done();
	(void)close(fds[0]);

	ok(pipe2(fds, O_CLOEXEC) == 0 && tape_out_open_fd(&fake_output, fds[1],
					     "pipe", &opts, NULL) == TAPE_OK,
	    "the pipe alone");
	ok(fake_open(&k, REQ("a") REQ("b"), NULL, &so), "%s", k.err.text);
	k.plan = long_answer;
	p = plan();
	is_int(fake_run(&k, &p), TAPE_EOF, "ends in order");
	is_int(tape_loop_stats(k.loop)->stop, TAPE_LOOP_BROKEN, "stopped");
	is_int(tape_sink_close(k.sink, &err), TAPE_E_IO, "for the pipe");
	is_str(err.text, "its reader took nothing for 0.03 s", "it says");
	k.sink = NULL;
	fake_release(&k);
	(void)close(fds[0]);
}

int
main(void)
{
	is_int(tape_target_open(
		   &target, NULL, "http://h", "/v1/completions", NULL),
	    TAPE_OK, "target");
	is_int(tape_secrets_add_text(&secrets, "open-sesame", NULL), TAPE_OK,
	    "a secret");
	(void)signal(SIGPIPE, SIG_IGN);
	test_exchange();
	test_errors();
	test_parts();
	test_base64();
	test_clock();
	test_step();
	test_merged();
	test_lost_output();
	test_blocked_output();
	test_impatience();
	tape_secrets_release(&secrets);
	tape_target_release(&target);
	return done_testing();
}
