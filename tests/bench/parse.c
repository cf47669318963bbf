/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parse: nanoseconds an event through the event-stream parser, the two JSON
 * readers and the JSON writer.
 *
 *	parse [ROUNDS]
 *
 * Each figure is the best of ROUNDS (default 20), in CPU time of the process.
 * The payload is one chat chunk of 204 bytes, its event 212.
 */
#include "base/buf.h"
#include "base/num.h"
#include "codec/json.h"
#include "codec/json_write.h"
#include "codec/sse.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EVENTS 2000
#define INTS   100000

static const char payload[] =
    "{\"id\":\"chatcmpl-0123456789abcdef01\",\"object\":\"chat.completion.chunk\","
    "\"created\":1716000000,\"model\":\"Qwen/Qwen3-8B\",\"choices\":[{\"index\":0,"
    "\"delta\":{\"content\":\" token\"},\"logprobs\":null,"
    "\"finish_reason\":null}]}";

struct bench {
	struct tape_buf body; /* the events */
	struct tape_buf out;
	struct tape_json r;
	struct tape_sse sse;
	int64_t ints[INTS];
	size_t chunk;
	uint64_t seen;
};

static double
cpu_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return 1e9 * (double)ts.tv_sec + (double)ts.tv_nsec;
}

static void
die(const char *what)
{
	(void)fprintf(stderr, "parse: %s\n", what);
	exit(4);
}

static void
walk(struct bench *b)
{
	struct tape_json_token tok;

	do {
		if (tape_json_next(&b->r, &tok, NULL) != TAPE_OK)
			die("bad JSON");
		b->seen++;
	} while (tok.type != TAPE_JSON_END);
}

static void
scan_foreign(struct bench *b)
{
	for (int i = 0; i < EVENTS; i++) {
		tape_json_open(
		    &b->r, payload, sizeof(payload) - 1, TAPE_JSON_FOREIGN);
		walk(b);
	}
}

static void
scan_ours(struct bench *b)
{
	for (int i = 0; i < EVENTS; i++) {
		tape_json_open(
		    &b->r, payload, sizeof(payload) - 1, TAPE_JSON_OURS);
		walk(b);
	}
}

static void
tree(struct bench *b)
{
	for (int i = 0; i < EVENTS; i++) {
		if (tape_json_open_tree(&b->r, payload, sizeof(payload) - 1,
			TAPE_JSON_FOREIGN, NULL) != TAPE_OK)
			die("bad JSON");
		walk(b);
	}
}

/* The bodies as a string of a record, written and read. */
static void
write_body(struct bench *b)
{
	struct tape_json_writer w;

	tape_buf_clear(&b->out);
	tape_json_write_init(&w, &b->out);
	tape_json_write_str(&w, NULL, b->body.data, b->body.len);
	if (tape_json_write_finish(&w, NULL) != TAPE_OK)
		die("cannot write");
}

static void
read_body(struct bench *b)
{
	tape_json_open(&b->r, b->out.data, b->out.len, TAPE_JSON_OURS);
	walk(b);
}

static void
write_ints(struct bench *b)
{
	struct tape_json_writer w;

	tape_buf_clear(&b->out);
	tape_json_write_init(&w, &b->out);
	tape_json_write_i64s(&w, NULL, b->ints, INTS);
	if (tape_json_write_finish(&w, NULL) != TAPE_OK)
		die("cannot write");
}

static enum tape_status
count(void *user, const struct tape_sse_event *ev, struct tape_err *err)
{
	struct bench *b = user;

	(void)err;
	b->seen += ev->len;
	return TAPE_OK;
}

static void
feed(struct bench *b)
{
	size_t at, n;

	tape_sse_clear(&b->sse);
	for (at = 0; at < b->body.len; at += n) {
		n = b->body.len - at < b->chunk ? b->body.len - at : b->chunk;
		if (tape_sse_feed(&b->sse, b->body.data + at, n, NULL) !=
		    TAPE_OK)
			die("bad stream");
	}
}

static void
report(struct bench *b, uint64_t rounds, const char *name,
    void (*f)(struct bench *), double items, double bytes)
{
	double best = HUGE_VAL, t;

	for (uint64_t i = 0; i < rounds; i++) {
		t = cpu_ns();
		f(b);
		t = cpu_ns() - t;
		if (t < best)
			best = t;
	}
	printf("%-38s %8.1f ns %8.0f MB/s\n", name, best / items,
	    bytes / best * 1e3);
}

static void
run(struct bench *b, uint64_t rounds)
{
	static const size_t chunks[] = { 65536, 1448, 212, 100 };
	double json = EVENTS * (double)(sizeof(payload) - 1);
	double body = (double)b->body.len;
	char name[64];

	report(b, rounds, "JSON scanner, foreign, an event", scan_foreign,
	    EVENTS, json);
	report(
	    b, rounds, "JSON scanner, ours, an event", scan_ours, EVENTS, json);
	report(b, rounds, "cJSON tree, foreign, an event", tree, EVENTS, json);
	report(b, rounds, "body as a string, written, an event", write_body,
	    EVENTS, body);
	report(b, rounds, "body as a string, read, an event", read_body, EVENTS,
	    (double)b->out.len);
	write_ints(b);
	report(b, rounds, "times, written, an integer", write_ints, INTS,
	    (double)b->out.len);
	report(b, rounds, "times, read, an integer", read_body, INTS,
	    (double)b->out.len);
	for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
		b->chunk = chunks[i];
		(void)snprintf(name, sizeof(name),
		    "event stream, reads of %zu, an event", chunks[i]);
		report(b, rounds, name, feed, EVENTS, body);
	}
}

int
main(int argc, char **argv)
{
	static const struct tape_sse_calls calls = { .event = count };
	static struct bench b;
	struct tape_err err = { 0 };
	uint64_t rounds = 20;

	if (argc > 1 &&
	    tape_num_u64(argv[1], 1, 100000, &rounds, &err) != TAPE_OK)
		die(err.text);
	tape_buf_init(&b.body, (size_t)64 << 20);
	tape_buf_init(&b.out, (size_t)64 << 20);
	tape_json_init(&b.r);
	tape_sse_init(&b.sse, &calls, &b);
	for (int i = 0; i < EVENTS; i++)
		(void)tape_buf_add_fmt(&b.body, "data: %s\n\n", payload);
	for (int i = 0; i < INTS; i++)
		b.ints[i] = INT64_C(20000000) * i + i * 7919 % 100003;
	run(&b, rounds);
	tape_sse_release(&b.sse);
	tape_json_release(&b.r);
	tape_buf_release(&b.out);
	tape_buf_release(&b.body);
	return 0;
}
