/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values to summary: CPU and wall time of tape_summarize over the values of so
 * many requests, which are all in memory, on so many threads:
 *
 *	summary REQUESTS THREADS [basic]
 *
 * Requests start 20 us apart, last 0.2 to 0.4 s, and have two events each, as
 * those of reduce_feed.  basic: without the extra metrics and curves.  One line
 * of JSON.
 */
#include "base/err.h"
#include "bench/bench.h"
#include "codec/stat_rng.h"
#include "engine/summarize.h"
#include "record/schema.h"

#include <inttypes.h>
#include <math.h>

static struct tape_rng rng;

static int64_t
draw(uint32_t below)
{
	return tape_rng_below(&rng, below);
}

/* A request with a value for each metric that reduce_feed's have. */
static void
measure(struct tape_measured *m, int64_t i, double *gap)
{
	struct tape_result *r = &m->result;
	const int64_t t = i * 20000 + draw(9999);
	const int64_t ttft = 180000000 + draw(40000000);

	memset(m, 0, sizeof(*m));
	tape_schema_init(TAPE_KIND_RESULT, r);
	*gap = (double)(19000000 + draw(2000000));
	r->pass = i;
	r->ok = 1;
	r->attempt = 1;
	r->start_ns = t;
	r->first_ns = t + ttft;
	r->end_ns = t + ttft + (int64_t)*gap + draw(99999);
	r->ttft_ns = ttft;
	r->latency_ns = ttft + (int64_t)*gap;
	r->tpot_ns = *gap;
	r->gap_mean_ns = *gap;
	r->gap_max_ns = (int64_t)*gap;
	r->tokens.input = 500 + draw(40);
	r->tokens.output = 2;
	r->tokens.cached = 0;
	r->asked_input_tokens = 512;
	r->asked_output_tokens = 2;
	r->token_events = 2;
	m->window_ns = r->end_ns;
	m->measured = m->streamed = true;
	m->kernel = 2;
}

static void
fill(struct tape_tally *t, int64_t requests)
{
	struct tape_err err = { 0 };
	struct tape_measured m;
	double gap;

	for (int64_t i = 0; i < requests; i++) {
		measure(&m, i, &gap);
		if (tape_tally_fly(t, &m, &err) != TAPE_OK ||
		    tape_tally_add(t, &m, &gap, 1, &err) != TAPE_OK) {
			(void)fprintf(stderr, "summary: %s\n", err.text);
			exit(4);
		}
	}
}

static size_t
columns(const struct tape_tally *t)
{
	size_t n = 0;

	for (size_t i = 0; i < TAPE_METRIC_COUNT; i++)
		n += t->column[i].n > 0;
	return n;
}

int
main(int argc, char **argv)
{
	static struct tape_summarize_set set;
	struct tape_tally tally, *one = &tally;
	struct tape_summarize_run run = { .run = 1 };
	struct tape_err err = { 0 };
	int64_t requests, began;
	double cpu_s;

	if (argc < 3) {
		(void)fprintf(
		    stderr, "usage: summary REQUESTS THREADS [basic]\n");
		return 2;
	}
	requests = bench_number(argv[1], 1, INT64_C(100000000));
	run.threads = (unsigned)bench_number(argv[2], 1, 64);
	tape_rng_init(&rng, 1, 0, 0, 0);
	tape_tally_init(&tally);
	tally.basic = argc > 3 && strcmp(argv[3], "basic") == 0;
	fill(&tally, requests);
	run.first_ns = tally.first_ns;
	run.last_ns = tally.last_ns;
	cpu_s = bench_cpu_s();
	began = bench_now_ns();
	if (tape_summarize(&run, tape_str_make(NULL, 0), &one, 1, &set, &err) !=
	    TAPE_OK) {
		(void)fprintf(stderr, "summary: %s\n", err.text);
		return 4;
	}
	(void)printf("{\"requests\":%" PRId64 ",\"threads\":%u,\"columns\":%zu,"
		     "\"cpu_s\":%.3f,\"wall_s\":%.3f,\"ttft_p50_ns\":%.17g}\n",
	    requests, run.threads, columns(&tally), bench_cpu_s() - cpu_s,
	    (double)(bench_now_ns() - began) / (double)BENCH_NS_PER_S,
	    set.summary[TAPE_METRIC_TTFT].quantiles.p50);
	tape_tally_release(&tally);
	return 0;
}
