/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stream of events as plain text on standard output, made as fast as it can
 * be read:
 *
 *	reduce_feed REQUESTS EVENTS
 *
 * One run of REQUESTS requests of EVENTS events each, 20 us apart, kernel
 * times, gaps of 20 ms give or take 1 ms in whole nanoseconds.  The same each
 * time.
 */
#include "base/buf.h"
#include "bench/bench.h"

#include <inttypes.h>

#define SETS 1024 /* of times, used in turn */

static uint64_t state = 1;

/* splitmix64 */
static int64_t
draw(int64_t below)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (int64_t)((z ^ (z >> 31)) % (uint64_t)below);
}

static struct tape_buf sets[SETS];
static int64_t last[SETS];

static void
fill(size_t k, int64_t events)
{
	struct tape_buf *b = &sets[k];
	int64_t at = 180000000 + draw(40000000);

	tape_buf_init(b, 1 << 26);
	(void)tape_buf_add_str(b, "\"events\":{\"t_ns\":[");
	for (int64_t i = 0; i < events; i++) {
		(void)tape_buf_add_fmt(b, "%s%" PRId64, i > 0 ? "," : "", at);
		last[k] = at;
		at += 19000000 + draw(2000000);
	}
	(void)tape_buf_add_str(b, "],\"class\":\"");
	for (int64_t i = 0; i < events; i++)
		(void)tape_buf_add_char(b, 'c');
	(void)tape_buf_add_str(b, "\",\"clk\":\"");
	for (int64_t i = 0; i < events; i++)
		(void)tape_buf_add_char(b, 'k');
	(void)tape_buf_add_fmt(b,
	    "\"},\"tokens\":{\"input\":520,\"output\":%" PRId64
	    ",\"cached\":0,\"source\":\"usage\"},\"finish\":[\"length\"]}\n",
	    events);
}

/* Every request has times of its own by what is added to its end. */
static void
put(int64_t i, int64_t events)
{
	const size_t k = (size_t)draw(SETS);
	const int64_t t = i * 20000 + draw(9999);

	(void)printf("{\"kind\":\"response\",\"x\":%" PRId64
		     ",\"run\":1,\"id\":\"r%" PRId64
		     "\",\"attempt\":1,\"pass\":0,\"stage\":\"measure\","
		     "\"api\":\"chat\",\"stream\":true,\"req\":{"
		     "\"output_tokens\":%" PRId64
		     ",\"input_tokens\":512},\"due_ns\":%" PRId64
		     ",\"start_ns\":%" PRId64 ",\"sent_ns\":%" PRId64
		     ",\"head_ns\":%" PRId64 ",\"end_ns\":%" PRId64
		     ",\"status\":200,\"reads\":%" PRId64
		     ",\"body_bytes\":%" PRId64 ",",
	    i, i, events, t, t + 4000 + draw(999), t + 60000,
	    t + 170000000 + draw(9999999), t + last[k] + 5000 + draw(99999),
	    events, events * 210);
	(void)fwrite_unlocked(sets[k].data, 1, sets[k].len, stdout);
}

int
main(int argc, char **argv)
{
	int64_t requests, events;

	if (argc != 3) {
		(void)fprintf(stderr, "usage: reduce_feed REQUESTS EVENTS\n");
		return 2;
	}
	requests = bench_number(argv[1], 1, INT64_C(1000000000));
	events = bench_number(argv[2], 1, 100000);
	(void)setvbuf(stdout, NULL, _IOFBF, 1 << 18);
	for (size_t k = 0; k < SETS; k++)
		fill(k, events);
	(void)printf(
	    "{\"kind\":\"header\",\"format\":\"llmtape.events\",\"version\":"
	    "\"1.0\",\"epoch\":\"2026-03-01T12:00:00.000000000Z\","
	    "\"epoch_mono\":\"0.000000000\",\"run_id\":\"bench\",\"prov\":[]}\n"
	    "{\"kind\":\"run\",\"at\":\"start\",\"run\":1,\"arm\":\"A\","
	    "\"api\":\"chat\",\"model\":\"m\",\"stream\":true,\"loop\":"
	    "\"open\",\"requests\":%" PRId64 ",\"warmup\":0,\"start_ns\":0}\n",
	    requests);
	for (int64_t i = 0; i < requests; i++)
		put(i, events);
	(void)printf("{\"kind\":\"run\",\"at\":\"end\",\"run\":1,\"end_ns\":0,"
		     "\"sent\":%" PRId64 ",\"stop\":\"complete\"}\n"
		     "{\"kind\":\"end\",\"records\":%" PRId64
		     ",\"status\":\"complete\"}\n",
	    requests, requests + 2);
	if (fflush(stdout) != 0)
		bench_die("write");
	return 0;
}
