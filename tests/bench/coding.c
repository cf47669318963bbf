/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * coding: what it costs to decode and to encode a record, by the table.
 *
 *	coding [ROUNDS]
 *
 * Each figure is the best of ROUNDS (default 20), in CPU time of the process:
 * for a record, and for an element of its arrays.
 */
#include "record/coding.h"
#include "base/buf.h"
#include "base/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define REPEATS 500
#define MANY    1024

static double
cpu_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return 1e9 * (double)ts.tv_sec + (double)ts.tv_nsec;
}

static void
die(const struct tape_err *err)
{
	(void)fprintf(stderr, "coding: %s\n", err->text);
	exit(4);
}

static int64_t grows[MANY], lags[MANY], sizes[MANY];
static char classes[MANY];

static void
make_values(void)
{
	for (int64_t i = 0; i < MANY; i++) {
		grows[i] = INT64_C(180000000) + i * 20013579;
		lags[i] = 4000 + i * 37 % 9000;
		sizes[i] = 180 + i % 40;
		classes[i] = 'c';
	}
}

static void
fill_transfer(struct tape_transfer *t)
{
	t->x = 1234567;
	t->run = 1;
	t->id = tape_str_of("10412");
	t->attempt = 1;
	t->pass = 0;
	t->stage = tape_str_of("measure");
	t->api = tape_str_of("chat");
	t->stream = 1;
	t->model = tape_str_of("Qwen/Qwen3-8B");
	t->target = tape_str_of("http://127.0.0.1:8000/v1/chat/completions");
	t->labels = tape_str_of("{\"isl\":6758,\"osl\":500}");
	t->req.output_tokens = 500;
	t->req.input_tokens = 6758;
	t->req.bytes = 40123;
	t->req.hash = tape_str_of("cbf29ce484222325");
	t->due_ns = INT64_C(3123000000000);
	t->start_ns = INT64_C(3123000012345);
	t->conn_ns = INT64_C(3123000212345);
	t->reused = 1;
	t->sent_ns = INT64_C(3123000412345);
	t->head_ns = INT64_C(3123180012345);
	t->end_ns = INT64_C(3133180012345);
	t->status = 200;
	t->headers = tape_str_of("[[\"content-type\",\"text/event-stream\"],"
				 "[\"server\",\"uvicorn\"]]");
}

static struct tape_i64s
values(const int64_t *v, size_t n)
{
	struct tape_i64s a = { v, n };

	return a;
}

static void
make_exchange(struct tape_exchange *e, size_t n)
{
	static char body[220 * MANY];
	size_t len = 0;

	tape_schema_init(TAPE_KIND_EXCHANGE, e);
	fill_transfer(&e->t);
	e->reads.t_ns = values(grows, n);
	e->reads.lag_ns = values(lags, n);
	e->reads.bytes = values(sizes, n);
	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(body + len, sizeof(body) - len,
		    "data: {\"id\":\"chatcmpl-0123456789abcdef01\",\"object\":"
		    "\"chat.completion.chunk\",\"choices\":[{\"index\":0,"
		    "\"delta\":{\"content\":\" token\"},"
		    "\"finish_reason\":null}]}\n\n");
	e->body = tape_str_make(body, len);
}

static void
make_response(struct tape_response *r, size_t n)
{
	tape_schema_init(TAPE_KIND_RESPONSE, r);
	fill_transfer(&r->t);
	r->reads = (int64_t)n;
	r->body_bytes = (int64_t)n * 200;
	r->events.t_ns = values(grows, n);
	r->events.class = tape_str_make(classes, n);
	r->events.clk = tape_str_make(classes, n);
	r->events.lag_ns = values(lags, n);
	r->events.text_bytes = values(sizes, n);
	r->finish_at = (int64_t)n - 1;
	r->tokens.output = (int64_t)n;
	r->text_sha256 = tape_str_of("9f86d081884c7d659a2feaa0c55ad015"
				     "a3bf4f1b2b0b822cd15d6c15b0f00a08");
}

struct timed {
	double decode_ns;
	double encode_ns;
	size_t bytes;
};

static struct timed
measure(enum tape_kind kind, const void *record, int rounds)
{
	struct timed best = { 1e18, 1e18, 0 };
	struct tape_record rec;
	struct tape_err err = { 0 };
	struct tape_buf out;

	tape_record_init(&rec);
	tape_buf_init(&out, TAPE_CAP_LINE);
	for (int i = 0; i < rounds; i++) {
		double t0 = cpu_ns(), t1;

		for (int j = 0; j < REPEATS; j++) {
			tape_buf_clear(&out);
			if (tape_record_encode(kind, record, &out, &err) !=
			    TAPE_OK)
				die(&err);
		}
		t1 = cpu_ns();
		best.encode_ns = fmin(best.encode_ns, (t1 - t0) / REPEATS);
		for (int j = 0; j < REPEATS; j++)
			if (tape_record_decode(&rec, out.data, out.len, &err) !=
			    TAPE_OK)
				die(&err);
		best.decode_ns =
		    fmin(best.decode_ns, (cpu_ns() - t1) / REPEATS);
	}
	best.bytes = out.len;
	tape_record_release(&rec);
	tape_buf_release(&out);
	return best;
}

static void
say(const char *what, struct timed t, size_t elements)
{
	printf("%-28s %7zu bytes  decode %9.0f ns", what, t.bytes, t.decode_ns);
	if (elements > 0)
		printf(" %5.1f", t.decode_ns / (double)elements);
	printf("  encode %9.0f ns", t.encode_ns);
	if (elements > 0)
		printf(" %5.1f", t.encode_ns / (double)elements);
	printf("\n");
}

/* As metrics-reduce writes it. */
static void
make_result(struct tape_result *r)
{
	tape_schema_init(TAPE_KIND_RESULT, r);
	r->run = 1;
	r->id = tape_str_of("10412");
	r->attempt = 1;
	r->pass = 0;
	r->stage = tape_str_of("measure");
	r->labels = tape_str_of("{\"isl\":6758,\"osl\":500}");
	r->ok = 1;
	r->status = 200;
	r->clock = tape_str_of("best");
	r->from = tape_str_of("start");
	r->due_ns = INT64_C(3123000000000);
	r->start_ns = INT64_C(3123000012345);
	r->sent_ns = INT64_C(3123000412345);
	r->first_ns = INT64_C(3123180012345);
	r->last_ns = r->end_ns = INT64_C(3133180012345);
	r->late_ns = 12345;
	r->ttft_ns = r->ttft_due_ns = 180000000;
	r->ttst_ns = 200013579;
	r->latency_ns = r->latency_due_ns = INT64_C(10180000000);
	r->tpot_ns = 20013579.158316633;
	r->gap_n = 499;
	r->gap_max_ns = 48120345;
	r->token_events = 500;
	r->tokens.input = 6758;
	r->tokens.output = 500;
	r->tokens.source = tape_str_of("usage");
	r->asked_output_tokens = 500;
	r->asked_input_tokens = 6758;
	r->bytes = 106000;
	r->text_sha256 = tape_str_of("9f86d081884c7d659a2feaa0c55ad015"
				     "a3bf4f1b2b0b822cd15d6c15b0f00a08");
}

int
main(int argc, char **argv)
{
	int64_t rounds = 20;
	struct tape_exchange e;
	struct tape_response r;
	struct tape_result res;

	if (argc > 1 &&
	    tape_num_i64(argv[1], 1, 100000, &rounds, NULL) != TAPE_OK)
		return 2;
	make_values();
	make_exchange(&e, 200);
	say("exchange, 200 reads", measure(TAPE_KIND_EXCHANGE, &e, (int)rounds),
	    3 * (size_t)200);
	e.body = tape_str_of("");
	say("the same without body",
	    measure(TAPE_KIND_EXCHANGE, &e, (int)rounds), 3 * (size_t)200);
	e.reads.t_ns.n = e.reads.lag_ns.n = e.reads.bytes.n = 0;
	say("nor reads", measure(TAPE_KIND_EXCHANGE, &e, (int)rounds), 0);
	make_response(&r, 500);
	say("response, 500 events",
	    measure(TAPE_KIND_RESPONSE, &r, (int)rounds), 3 * (size_t)500);
	make_response(&r, 0);
	say("response, no events", measure(TAPE_KIND_RESPONSE, &r, (int)rounds),
	    0);
	make_result(&res);
	say("result", measure(TAPE_KIND_RESULT, &res, (int)rounds), 0);
	return 0;
}
