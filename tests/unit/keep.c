/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is kept of answers: whole, decoded, or their times. */
#include "engine/sink_write.h"

#include "unit/replay_fake.h"

#include <stdlib.h>

#define EVENT(t)                                                               \
 "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" t "\"}}]}\n\n"
#define REQ(id)                                                                \
 "{\"kind\":\"request\",\"id\":\"" id                                          \
 "\",\"output_tokens\":9,\"input\":{\"text\":\"x\"}}\n"
#define ALL                                                                    \
 REQ("whole")                                                                  \
 REQ("cut") REQ("long") REQ("busy") REQ("bin") REQ("json") REQ("reset")

static struct fake k;
static struct tape_target target;
static struct tape_course course = { .run = 1,
	.api = "chat",
	.model = "m",
	.target = "http://h",
	.stream = true };
static struct tape_secrets secrets;
static char first[TAPE_SINK_FIRST_TEXT];

static void
keep_first(void *arg, const char *text)
{
	(void)arg;
	(void)snprintf(first, sizeof(first), "%s", text);
}

/* Each read of some begins and ends inside an event. */
static struct fake_answer
answer(const struct tape_flight *f)
{
	static char big[10001];
	struct fake_answer a = fake_default(f);

	a.reads = 7;
	a.chunk = EVENT("open-sesame") EVENT("b");
	a.late_ns = 2 * MS;
	if (tape_str_is(f->id, "cut"))
		a.chunk =
		    "sesame\"}}]}\n\n: c\n\ndata: {\"choices\":[{\"index\":0,"
		    "\"delta\":{\"content\":\"";
	if (tape_str_is(f->id, "long")) {
		memset(big, 'y', sizeof(big) - 1);
		memcpy(big, EVENT("a") ": ", sizeof(EVENT("a") ": ") - 1);
		memcpy(big + sizeof(big) - 3, "\n\n", 2);
		a.chunk = big;
		a.reads = 40;
		a.end_ns = 60 * TAPE_NS_PER_S;
	}
	if (tape_str_is(f->id, "busy")) {
		a.status = 429;
		a.class = TAPE_HTTP_HTTP;
		a.reads = 1;
		a.chunk = "{\"error\":{\"message\":\"slow down\"}}";
	}
	if (tape_str_is(f->id, "reset"))
		a.class = TAPE_HTTP_RESET;
	if (tape_str_is(f->id, "bin"))
		a.chunk = EVENT("\x80") EVENT("\xff");
	if (tape_str_is(f->id, "json")) {
		a.reads = 1;
		a.chunk = "{\"choices\":[{\"index\":0,\"message\":{\"content\":"
			  "\"hi\"},\"finish_reason\":\"stop\"}]}";
		a.late_ns = 0;
	}
	return a;
}

/* Set up, with a run that says what is kept. */
static void
begin(enum tape_keep keep, const char *lines)
{
	struct tape_sink_opts so = {
		.keep = keep, .secrets = &secrets, .first_failure = keep_first
	};
	struct tape_feed_plan p = { .course = &course, .target = &target };
	struct tape_run run;

	first[0] = '\0';
	fake_format =
	    keep == TAPE_KEEP_EVENTS ? TAPE_FORMAT_EVENTS : TAPE_FORMAT_WIRE;
	ok(fake_open(&k, lines, NULL, &so), "%s: %s", tape_keep_name(keep),
	    k.err.text);
	k.plan = answer;
	tape_schema_init(TAPE_KIND_RUN, &run);
	run.at = tape_str_of("start");
	run.run = 1;
	run.keep = tape_str_of(keep == TAPE_KEEP_TIMES ? "times" : "the same");
	is_int(tape_sink_record(k.sink, TAPE_KIND_RUN, &run, &k.err), TAPE_OK,
	    "a run");
	p.count = tape_spool_info(k.spool)->requests;
	p.form.api = tape_api_find(tape_str_of("chat"));
	p.form.model = "m";
	p.form.stream = true;
	p.stage.measured = true;
	p.stage.rules =
	    (struct tape_sched_rules){ .slots = 3, .base_ns = EPOCH_NS };
	is_int(tape_feed_begin(k.feed, &p, &k.err), TAPE_OK, "begun");
}

/* One step of everything; false at the end. */
static bool
step(void)
{
	enum tape_status st = TAPE_OK;

	for (int i = 0; i < 300 && st == TAPE_OK; i++)
		st = tape_feed_step(k.feed, 0, &k.err);
	if (st == TAPE_OK)
		fake_round(&k);
	for (int i = 0; i < 40; i++)
		(void)tape_sink_step(k.sink, 0);
	return st == TAPE_OK;
}

/* Plays all; the tape is in text, the caller's. */
static void
play(enum tape_keep keep, const char *lines, struct tape_buf *text)
{
	begin(keep, lines);
	for (int i = 0; i < 100000 && step(); i++)
		continue;
	ok(fake_close_tape(&k), "the tape is whole: %s", k.err.text);
	*text = k.tape;
	tape_buf_init(&k.tape, 1);
	fake_release(&k);
}

/* What sse-timestamp makes of a tape. */
static void
stamp(const struct tape_buf *wire, struct tape_buf *out)
{
	const struct tape_reader_opts in = { .formats = TAPE_FORMAT_WIRE };
	const struct tape_stamp_opts opts = { 0 };
	struct tape_reader *r = NULL;
	struct tape_writer *w = NULL;
	struct tape_stamp *s = NULL;
	struct tape_out *o = NULL;
	struct tape_record rec;
	struct tape_err err = { 0 };
	enum tape_status st;

	tape_buf_init(out, (size_t)64 << 20);
	tape_record_init(&rec);
	st = tape_reader_open_mem(&r, wire->data, wire->len, &in, &err);
	if (st == TAPE_OK)
		st = tape_out_open_buf(&o, out, NULL, &err);
	if (st == TAPE_OK)
		st = tape_writer_open(&w, o, TAPE_FORMAT_EVENTS, &err);
	if (st == TAPE_OK)
		st = tape_stamp_open(&s, &opts, w, &err);
	while (st == TAPE_OK &&
	       (st = tape_reader_next(r, &rec, &err)) == TAPE_OK) {
		if (rec.kind == TAPE_KIND_HEADER) {
			st = tape_writer_header(w, &rec.u.header, &err);
			if (st == TAPE_OK)
				st = tape_stamp_begin(s, &rec.u.header, &err);
		} else if (rec.kind == TAPE_KIND_END) {
			st = tape_stamp_end(s, &err);
			if (st == TAPE_OK)
				st = tape_writer_end(
				    w, TAPE_ENDING_COMPLETE, &err);
		} else {
			st = tape_stamp_record(s, &rec, &err);
		}
	}
	is_int(st, TAPE_EOF, "stamped: %s", err.text);
	is_int(tape_writer_close(w, &err), TAPE_OK, "written");
	tape_stamp_free(s);
	tape_record_release(&rec);
	tape_reader_free(r);
}

/* How often a text occurs. */
static int
count(const struct tape_buf *b, const char *text)
{
	int n = 0;

	for (const char *p = b->data; (p = strstr(p, text)) != NULL; p++)
		n++;
	return n;
}

/* Decoded as it comes is what is decoded later, byte for byte: run, clock and
   end records, too. */
static void
test_events(void)
{
	struct tape_buf raw, later, now;

	play(TAPE_KEEP_RAW, ALL, &raw);
	play(TAPE_KEEP_EVENTS, ALL, &now);
	stamp(&raw, &later);
	is_str(now.data, later.data, "events: decoded now as later");
	is_int(count(&now, "\"kind\":\"response\""), 7, "seven responses");
	is_int(count(&now, "\"class\":\"lost\""), 0, "none of them lost");
	ok(count(&raw, "\"kind\":\"part\"") > 3, "in parts");
	is_int(count(&raw, "\"body_b64\""), 1, "one of bytes that are no text");
	ok(count(&now, "mkmkmkmkmkmkmk") > 0, "two events a read");
	ok(strstr(first, "slow down") != NULL, "the first failure: %s", first);
	is_int(count(&now, "sesame"), 0, "no secret");
	tape_buf_release(&raw);
	tape_buf_release(&later);
	tape_buf_release(&now);
}

/* It ends while an answer is under way: what came of it is not lost. */
static void
test_lost(void)
{
	struct tape_buf text[2], later;
	const enum tape_keep keeps[] = { TAPE_KEEP_RAW, TAPE_KEEP_EVENTS };

	for (int i = 0; i < 2; i++) {
		begin(keeps[i], REQ("long"));
		while (k.time.now_ns < EPOCH_NS + 25 * TAPE_NS_PER_S)
			(void)step();
		ok(fake_close_tape(&k), "ended: %s", k.err.text);
		text[i] = k.tape;
		tape_buf_init(&k.tape, 1);
		fake_release(&k);
	}
	stamp(&text[0], &later);
	is_str(text[1].data, later.data, "an answer that was cut off");
	is_int(count(&later, "\"class\":\"lost\""), 1, "is a lost one");
	tape_buf_release(&text[0]);
	tape_buf_release(&text[1]);
	tape_buf_release(&later);
}

/* The reads of the exchange of that id, as text, cut off behind it. */
static char *
reads_of(struct tape_buf *b, const char *id)
{
	char what[64];
	char *at, *end;

	(void)snprintf(what, sizeof(what), "\"id\":\"%s\"", id);
	at = strstr(b->data, what);
	at = at == NULL ? NULL : strstr(at, "\"reads\":{");
	end = at == NULL ? NULL : strchr(at, '}');
	if (end != NULL)
		end[1] = '\0';
	return at;
}

static void
test_times(void)
{
	struct tape_buf raw, times, events;

	play(TAPE_KEEP_RAW, ALL, &raw);
	play(TAPE_KEEP_TIMES, ALL, &times);
	stamp(&times, &events);
	is_int(count(&times, "\"body\""), 0, "times: no body");
	is_int(count(&times, "\"body_b64\""), 0, "in no form");
	is_int(count(&times, "slow"), 0, "nor what the server said");
	ok(strstr(first, "slow down") != NULL, "but to the user: %s", first);
	is_int(count(&times, "\"kind\":\"part\""),
	    count(&raw, "\"kind\":\"part\""), "as many parts");
	is_int(count(&times, "\"kind\":\"exchange\""), 7, "and exchanges");
	is_int(count(&events, "\"kind\":\"response\""), 7, "as responses");
	is_int(count(&events, "\"class\":\"ooooooo\",\"clk\":\"kkkkkkk\""), 4,
	    "an event a read");
	is_int(count(&events, "\"tokens\""), 0, "no token is made up");
	is_int(count(&events, "\"finish\""), 0, "no finish");
	is_int(count(&events, "\"text_bytes\""), 0, "no text");
	is_int(count(&events, "\"sse\""), 0, "no framing");
	is_int(count(&events, "\"class\":\"unfinished\""), 0, "no failure");
	is_int(count(&events, "\"class\":\"http\""), 1, "but the server's");
	is_int(count(&events, "\"class\":\"reset\""), 1, "and the network's");
	is_int(count(&events, "\"head_lag_ns\":2000000"), 6, "lags of heads");
	is_str(
	    reads_of(&times, "cut"), reads_of(&raw, "cut"), "the same reads");
	tape_buf_release(&raw);
	tape_buf_release(&times);
	tape_buf_release(&events);
}

/* Bytes in a run that says it has none are an error, not ignored. */
static void
test_contradiction(void)
{
	struct tape_stamp_opts opts = { 0 };
	struct tape_stamp *s = NULL;
	struct tape_exchange e;
	struct tape_record rec = { .kind = TAPE_KIND_RUN };
	struct tape_out *o = NULL;
	struct tape_writer *w = NULL;
	struct tape_buf out;
	struct tape_err err = { 0 };
	struct tape_header h = { .epoch = tape_str_of("e"),
		.epoch_mono = tape_str_of("1.000000000"),
		.run_id = tape_str_of("r"),
		.prov = tape_str_of("[]") };
	const int64_t t[] = { 5 }, n[] = { 1 };

	tape_buf_init(&out, 65536);
	if (tape_out_open_buf(&o, &out, NULL, &err) != TAPE_OK ||
	    tape_writer_open(&w, o, TAPE_FORMAT_EVENTS, &err) != TAPE_OK ||
	    tape_writer_header(w, &h, &err) != TAPE_OK ||
	    tape_stamp_open(&s, &opts, w, &err) != TAPE_OK ||
	    tape_stamp_begin(s, &h, &err) != TAPE_OK)
		abort();
	tape_schema_init(TAPE_KIND_RUN, &rec.u.run);
	rec.u.run.run = 1;
	rec.u.run.keep = tape_str_of("times");
	rec.line = tape_str_of("{}");
	is_int(tape_stamp_record(s, &rec, &err), TAPE_OK, "a run of times");
	tape_schema_init(TAPE_KIND_EXCHANGE, &e);
	e.t.x = e.t.run = e.t.attempt = 1;
	e.t.id = tape_str_of("a");
	e.t.start_ns = 0;
	e.reads.t_ns = (struct tape_i64s){ t, 1 };
	e.reads.bytes = (struct tape_i64s){ n, 1 };
	e.body = tape_str_of("x");
	is_int(tape_stamp_exchange(s, TAPE_KIND_EXCHANGE, &e, &err),
	    TAPE_E_FORMAT, "has no body");
	is_str(
	    err.text, "a body in a run of which only times were kept", "why");
	e.t.run = 2;
	tape_err_clear(&err);
	is_int(tape_stamp_exchange(s, TAPE_KIND_EXCHANGE, &e, &err), TAPE_OK,
	    "another run has");
	tape_stamp_free(s);
	tape_writer_abort(w);
	tape_buf_release(&out);
}

int
main(void)
{
	is_int(tape_target_open(
		   &target, NULL, "http://h", "/v1/chat/completions", NULL),
	    TAPE_OK, "target");
	is_int(tape_secrets_add_text(&secrets, "open-sesame", NULL), TAPE_OK,
	    "a secret");
	test_events();
	test_lost();
	test_times();
	test_contradiction();
	tape_secrets_release(&secrets);
	tape_target_release(&target);
	return done_testing();
}
