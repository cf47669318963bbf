/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay_fake: feeder, network loop and sink in one thread, over a clock that
 * stands still and a network that answers by a plan: a replay of an hour takes
 * milliseconds, and every time is exact.
 */
#ifndef TAPE_UNIT_REPLAY_FAKE_H
#define TAPE_UNIT_REPLAY_FAKE_H

#include "base/mem.h"
#include "engine/feed.h"
#include "engine/spool_impl.h"
#include "unit/tap.h"

#define MS       TAPE_NS_PER_MS
#define EPOCH_NS (5 * TAPE_NS_PER_S)

#define FAKE_HEADER                                                            \
 "{\"kind\":\"header\",\"format\":\"llmtape.trace\",\"version\":\"1.0\","      \
 "\"epoch\":\"2026-03-01T12:00:00.000000000Z\","                               \
 "\"epoch_mono\":\"1.000000000\",\"run_id\":\"r\",\"prov\":[]}\n"

/* How the network answers one request. */
struct fake_answer {
	int64_t head_ns; /* after its start */
	int64_t end_ns;
	int reads; /* evenly between head and end, the last with the end */
	const char *chunk; /* of each read */
	int status;
	enum tape_http_class class;
	int64_t sent_ns; /* after its start */
	int64_t
	    late_ns; /* user minus kernel time of head and reads; 0 unknown */
};

struct fake_xfer {
	struct tape_flight *flight;
	struct fake_net *net;
	int64_t start_ns;
	struct fake_answer answer;
	bool sent, head, cancelled;
	int given; /* reads */
};

#define FAKE_OPEN  4096
#define FAKE_LOOPS 4

struct fake;

/* The network of one loop. */
struct fake_net {
	struct fake *k;
	struct tape_loop *loop;
	size_t open_n;
	uint64_t started;
};

/* Set before fake_open; zeroed again by fake_release. */
struct fake_knobs {
	size_t loops; /* 0: one */
	int64_t spin_ns, spin_most_ns;
	int64_t wake_late_ns; /* of a poll that slept */
	int64_t pass_ns;      /* a poll that does not sleep takes so long */
};

struct fake {
	struct fake_knobs knobs;
	struct tape_clock_fake time;
	struct tape_clock clock;
	struct tape_spool *spool;
	struct tape_reader *reader;
	struct tape_post *post;
	size_t loops_n;
	struct tape_loops *loops;
	struct tape_loop *loop; /* the first */
	struct fake_net net[FAKE_LOOPS];
	int64_t next_ns; /* of several loops: what comes first */
	struct tape_feed *feed;
	struct tape_sink *sink;
	struct tape_writer *writer;
	struct tape_buf trace, tape;
	struct fake_answer (*plan)(const struct tape_flight *f);
	struct fake_xfer *open[FAKE_OPEN];
	size_t open_n, open_max;
	uint64_t started, seen;
	uint64_t polls, poll_fails_at; /* 0: never */
	bool deaf;                     /* does not hear a cancel */
	bool threaded; /* the sink runs by itself, in real time */
	struct tape_err err;
};

static struct fake_answer
fake_default(const struct tape_flight *f)
{
	struct fake_answer a = { 10 * MS, 500 * MS, 1, "data: [DONE]\n\n", 200,
		TAPE_HTTP_NONE, 0, 0 };

	(void)f;
	return a;
}

static enum tape_status
fake_start(void *self, const struct tape_http_request *req,
    struct tape_http_xfer **x, int64_t *start_ns, struct tape_err *err)
{
	struct fake_net *net = self;
	struct fake *k = net->k;
	struct fake_xfer *n = tape_mem_calloc(1, sizeof(*n));

	if (n == NULL || k->open_n == FAKE_OPEN)
		return tape_err_nomem(err);
	n->flight = req->user;
	n->net = net;
	n->start_ns = k->time.now_ns;
	n->answer = k->plan(n->flight);
	k->open[k->open_n++] = n;
	if (k->open_n > k->open_max)
		k->open_max = k->open_n;
	k->started++;
	net->open_n++;
	net->started++;
	*x = (struct tape_http_xfer *)(void *)n;
	*start_ns = n->start_ns;
	return TAPE_OK;
}

static void
fake_cancel(void *self, struct tape_http_xfer *x)
{
	((struct fake_xfer *)(void *)x)->cancelled =
	    !((struct fake_net *)self)->k->deaf;
}

/* When this one does something next. */
static int64_t
fake_next(const struct fake *k, const struct fake_xfer *x)
{
	const struct fake_answer *a = &x->answer;

	if (x->cancelled)
		return k->time.now_ns;
	if (!x->sent)
		return x->start_ns + a->sent_ns;
	if (!x->head && a->status > 0)
		return x->start_ns + a->head_ns;
	if (x->given < a->reads)
		return x->start_ns + a->head_ns +
		       (a->end_ns - a->head_ns) * (x->given + 1) / a->reads;
	return x->start_ns + a->end_ns;
}

static void
fake_finish(struct fake *k, size_t i)
{
	struct fake_xfer *x = k->open[i];
	struct tape_http_result r = { .class = x->answer.class,
		.cause = "cause",
		.message = "message",
		.status = x->head ? x->answer.status : 0,
		.start_ns = x->start_ns,
		.conn_ns = x->start_ns,
		.sent_ns = x->start_ns,
		.head_ns = x->head ? x->start_ns + x->answer.head_ns : -1,
		.head_lag_ns = x->answer.late_ns > 0 ? x->answer.late_ns : -1,
		.end_ns = k->time.now_ns,
		.dns_ns = -1,
		.connect_ns = -1,
		.tls_ns = -1 };

	if (x->cancelled) {
		r.class = TAPE_HTTP_CANCELLED;
		r.cause = "cancelled";
	}
	k->open[i] = k->open[--k->open_n];
	x->net->open_n--;
	tape_loop_calls.finish(x->net->loop, x->flight, &r);
	tape_mem_free(x);
}

/* All of it came. */
static bool
fake_is_over(const struct fake_xfer *x)
{
	return x->sent && (x->head || x->answer.status <= 0) &&
	       x->given >= x->answer.reads;
}

/* The next thing of the transfer, now. */
static void
fake_act(struct fake *k, size_t i)
{
	struct fake_xfer *x = k->open[i];
	struct tape_http_head head = { x->answer.status, k->time.now_ns, -1 };
	struct tape_http_read read = { k->time.now_ns, -1, x->answer.chunk, 0,
		true };

	if (x->cancelled || fake_is_over(x)) {
		fake_finish(k, i);
	} else if (!x->sent) {
		x->sent = true;
		tape_loop_calls.sent(x->net->loop, x->flight);
	} else if (!x->head && x->answer.status > 0) {
		x->head = true;
		tape_loop_calls.head(x->net->loop, x->flight, &head);
		tape_loop_calls.header(
		    x->net->loop, x->flight, "Server", 6, "fake", 4);
		tape_loop_calls.header(
		    x->net->loop, x->flight, "Set-Cookie", 10, "sesame", 6);
	} else {
		x->given++;
		read.len = strlen(x->answer.chunk);
		if (x->answer.late_ns > 0)
			read.lag_ns = x->answer.late_ns;
		tape_loop_calls.read(x->net->loop, x->flight, &read);
	}
}

/* What is due now, of one network; true when there was something. */
static bool
fake_act_all(struct fake *k, const struct fake_net *net)
{
	bool did = false;

	for (size_t i = k->open_n; i-- > 0;)
		while (i < k->open_n && k->open[i]->net == net &&
		       fake_next(k, k->open[i]) <= k->time.now_ns) {
			size_t n = k->open_n;

			did = true;
			fake_act(k, i);
			if (k->open_n < n)
				break;
		}
	return did;
}

static enum tape_status
fake_poll(void *self, int64_t deadline_ns, struct tape_err *err)
{
	struct fake_net *net = self;
	struct fake *k = net->k;
	int64_t at = k->time.now_ns + TAPE_NS_PER_S;

	if (++k->polls == k->poll_fails_at)
		return tape_err_set(err, TAPE_E_IO, "no network");
	/* Time goes on once the feeder had its turn after each start. */
	if (k->seen != k->started)
		at = k->time.now_ns;
	k->seen = k->started;
	if (deadline_ns < at)
		at = deadline_ns;
	for (size_t i = 0; i < k->open_n; i++)
		if (fake_next(k, k->open[i]) < at)
			at = fake_next(k, k->open[i]);
	if (k->loops_n > 1) {
		/* Time goes on when none has anything to do: fake_round. */
		if (fake_act_all(k, net))
			at = k->time.now_ns;
		if (at < k->next_ns)
			k->next_ns = at;
		return TAPE_OK;
	}
	if (at > k->time.now_ns)
		k->time.now_ns = at + k->knobs.wake_late_ns;
	else
		k->time.now_ns += k->knobs.pass_ns;
	(void)fake_act_all(k, net);
	return TAPE_OK;
}

static void
fake_wake(void *self)
{
	(void)self;
}

/* So many requests of the next trace are its head start, and fake_run reads one
   more a step; 0: all of it is read at once. */
static uint64_t fake_head;

static enum tape_status
fake_read_head(struct fake *k)
{
	struct tape_spool *s = k->spool;

	s->fill.reader = k->reader;
	s->least = UINT64_MAX;
	while (s->info.requests < fake_head && tape_spool_step(s))
		continue;
	s->head_done = s->streamed = s->info.streamed = true;
	s->head = s->info.head = s->info.requests;
	fake_head = 0;
	return tape_spool_sync(s, &k->err);
}

static enum tape_status
fake_spool(struct fake *k, const char *lines)
{
	struct tape_reader_opts opts = { .formats = TAPE_FORMAT_TRACE };
	enum tape_status st = tape_spool_open(&k->spool, "/tmp", &k->err);
	int n = 0;

	for (const char *p = lines; (p = strchr(p, '\n')) != NULL; p++)
		n++;
	tape_buf_init(&k->trace, (size_t)256 << 20);
	(void)tape_buf_add_str(&k->trace, FAKE_HEADER);
	(void)tape_buf_add_str(&k->trace, lines);
	(void)tape_buf_add_fmt(&k->trace,
	    "{\"kind\":\"end\",\"records\":%d,\"status\":\"complete\"}\n", n);
	if (st == TAPE_OK)
		st = tape_reader_open_mem(
		    &k->reader, k->trace.data, k->trace.len, &opts, &k->err);
	if (st != TAPE_OK)
		return st;
	return fake_head > 0
		   ? fake_read_head(k)
		   : tape_spool_fill(k->spool, k->reader, NULL, &k->err);
}

/* The next tape's output, instead of memory, and the format of all. */
static struct tape_out *fake_output;
static enum tape_format fake_format = TAPE_FORMAT_WIRE;

static enum tape_status
fake_writer(struct fake *k)
{
	struct tape_header h;
	struct tape_out *out = fake_output;
	enum tape_status st = TAPE_OK;

	fake_output = NULL;
	tape_buf_init(&k->tape, (size_t)256 << 20);
	tape_schema_init(TAPE_KIND_HEADER, &h);
	h.epoch = tape_str_of("2026-03-01T12:00:00.000000000Z");
	h.epoch_mono = tape_str_of("5.000000000");
	h.run_id = tape_str_of("r");
	h.prov = tape_str_of("[]");
	if (out == NULL)
		st = tape_out_open_buf(&out, &k->tape, NULL, &k->err);
	if (st == TAPE_OK)
		st = tape_writer_open(&k->writer, out, fake_format, &k->err);
	if (st == TAPE_OK)
		st = tape_writer_header(k->writer, &h, &k->err);
	return st;
}

/* Everything set up over a trace of these lines; false after a failure. */
static bool
fake_open(struct fake *k, const char *lines, int (*interrupts)(void),
    const struct tape_sink_opts *sink)
{
	struct tape_transport net = { fake_start, fake_cancel, fake_poll,
		fake_wake, NULL };
	struct tape_sink_opts so = { 0 };
	struct tape_loop_opts lo = { .index = 1, .interrupts = interrupts };
	const struct fake_knobs knobs = k->knobs;
	size_t loops_n = knobs.loops > 0 ? knobs.loops : 1;
	enum tape_status st;

	memset(k, 0, sizeof(*k));
	k->knobs = knobs;
	k->loops_n = loops_n;
	k->plan = fake_default;
	k->time = (struct tape_clock_fake){ EPOCH_NS, 0 };
	k->clock = tape_clock_from_fake(&k->time);
	if (sink != NULL)
		so = *sink;
	k->threaded = so.clock != NULL;
	st = fake_spool(k, lines);
	if (st == TAPE_OK)
		st = fake_writer(k);
	if (st == TAPE_OK)
		st = tape_post_open(&k->post, &k->err);
	so.writer = k->writer;
	if (!k->threaded)
		so.clock = &k->clock;
	so.epoch_ns = EPOCH_NS;
	if (st == TAPE_OK)
		st = tape_sink_open(&k->sink, &so, &k->err);
	lo.clock = &k->clock;
	lo.spin_ns = knobs.spin_ns;
	lo.spin_most_ns = knobs.spin_most_ns;
	lo.sink = k->sink;
	lo.post = k->post;
	if (st == TAPE_OK)
		st = tape_loops_open(&k->loops, loops_n, &lo, &k->err);
	for (size_t i = 0; i < loops_n && st == TAPE_OK; i++) {
		k->net[i].k = k;
		k->net[i].loop = tape_loops_at(k->loops, i);
		net.self = &k->net[i];
		tape_loop_use(k->net[i].loop, &net);
	}
	if (st == TAPE_OK) {
		k->loop = k->net[0].loop;
		st = tape_feed_open(
		    &k->feed, k->spool, k->loops, k->post, &k->clock, &k->err);
	}
	return st == TAPE_OK;
}

#define FAKE_STEPS 300000

/* Each loop's turn. */
static void
fake_round(struct fake *k)
{
	k->next_ns = INT64_MAX;
	for (size_t i = 0; i < k->loops_n; i++)
		(void)tape_loop_step(k->net[i].loop);
	if (k->loops_n > 1 && k->next_ns > k->time.now_ns)
		k->time.now_ns = k->next_ns;
}

/* A stage, until it is drained. */
__attribute__((unused)) static enum tape_status
fake_run(struct fake *k, const struct tape_feed_plan *plan)
{
	enum tape_status st = tape_feed_begin(k->feed, plan, &k->err);

	for (int n = 0; st == TAPE_OK; n++) {
		if (n == FAKE_STEPS)
			return tape_err_set(
			    &k->err, TAPE_E_BUG, "it never drains");
		/* What there is to do takes no time. */
		for (int i = 0; i < 300 && st == TAPE_OK; i++)
			st = tape_feed_step(k->feed, 0, &k->err);
		if (k->spool->state == SPOOL_READING)
			(void)tape_spool_step(k->spool);
		if (st == TAPE_OK)
			fake_round(k);
		for (int i = 0; i < 40 && !k->threaded; i++)
			(void)tape_sink_step(k->sink, 0);
	}
	return st;
}

/* Ends the tape; true when it is whole. */
static bool
fake_close_tape(struct fake *k)
{
	enum tape_status st = tape_sink_close(k->sink, &k->err);

	k->sink = NULL;
	if (st == TAPE_OK)
		st = tape_writer_end(k->writer, TAPE_ENDING_COMPLETE, &k->err);
	if (st == TAPE_OK)
		st = tape_writer_close(k->writer, &k->err);
	else
		tape_writer_abort(k->writer);
	k->writer = NULL;
	return st == TAPE_OK;
}

static void
fake_release(struct fake *k)
{
	tape_feed_free(k->feed);
	tape_loops_free(k->loops);
	k->knobs = (struct fake_knobs){ 0 };
	for (size_t i = 0; i < k->open_n; i++)
		tape_mem_free(k->open[i]);
	if (k->sink != NULL)
		(void)(tape_sink_close(k->sink, NULL) == TAPE_OK);
	if (k->writer != NULL)
		tape_writer_abort(k->writer);
	tape_post_free(k->post);
	tape_spool_free(k->spool);
	tape_reader_free(k->reader);
	tape_buf_release(&k->trace);
	tape_buf_release(&k->tape);
}

#endif
