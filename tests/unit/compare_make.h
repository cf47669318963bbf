/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_make: metrics streams for the tests of compare, made by a plan, and
 * the whole way from a stream to a verdict.
 */
#ifndef TAPE_UNIT_COMPARE_MAKE_H
#define TAPE_UNIT_COMPARE_MAKE_H

#include "base/buf.h"
#include "codec/stat_rng.h"
#include "engine/compare_arrange.h"
#include "engine/compare_data.h"
#include "engine/compare_design.h"
#include "engine/compare_load.h"
#include "engine/compare_power.h"
#include "engine/compare_print.h"
#include "record/writer.h"
#include "unit/tap.h"

#include <stdlib.h>

/* Rows, in their order. */
enum {
	TTFT,
	TTFT_P99,
	ITL,
	GAP,
	LATENCY,
	LATENCY_MEAN,
	LATENCY_P99,
	OUTPUT,
	FAILED,
	GOOD
};

/* A stream in the making; what cannot fail here ends the test. */
struct make {
	struct tape_buf buf;
	struct tape_writer *w;
	const char *epoch; /* of segments to come; NULL: some day */
	const char *meta;
};

static inline void
make_must(enum tape_status st)
{
	if (st != TAPE_OK) {
		printf("Bail out! a stream could not be made\n");
		exit(1);
	}
}

static inline void
make_init(struct make *m)
{
	struct tape_out_opts plain = { .level = 0 };
	struct tape_out *out;

	m->epoch = m->meta = NULL;
	tape_buf_init(&m->buf, 1 << 26);
	make_must(tape_out_open_buf(&out, &m->buf, &plain, NULL));
	make_must(tape_writer_open(&m->w, out, TAPE_FORMAT_METRICS, NULL));
}

static inline void
make_begin(struct make *m, const char *run_id, const char *prov)
{
	struct tape_header h;

	tape_schema_init(TAPE_KIND_HEADER, &h);
	h.epoch =
	    tape_str_of(m->epoch ? m->epoch : "2026-03-01T12:00:00.000000000Z");
	h.epoch_mono = tape_str_of("0.000000000");
	h.run_id = tape_str_of(run_id);
	h.meta = tape_str_of(m->meta);
	h.prov = tape_str_of(prov);
	make_must(tape_writer_header(m->w, &h, NULL));
}

static inline void
make_put(struct make *m, enum tape_kind kind, const void *record)
{
	make_must(tape_writer_put(m->w, kind, record, NULL));
}

static inline void
make_end(struct make *m)
{
	make_must(tape_writer_end(m->w, TAPE_ENDING_COMPLETE, NULL));
}

static inline void
make_done(struct make *m)
{
	make_must(tape_writer_close(m->w, NULL));
	m->w = NULL;
}

/* A run record as trace-replay has it; at and times are set by make_run. */
static inline struct tape_run
make_run_of(int64_t number, const char *arm, int64_t round)
{
	struct tape_run r;

	tape_schema_init(TAPE_KIND_RUN, &r);
	r.run = number;
	r.arm = tape_str_of(arm);
	r.round = round;
	r.model = tape_str_of("m");
	r.api = tape_str_of("chat");
	r.loop = tape_str_of("closed");
	r.concurrency = 4;
	return r;
}

static inline void
make_run(struct make *m, struct tape_run *r, int64_t start_ns, int64_t end_ns)
{
	r->at = tape_str_of("start");
	r->start_ns = start_ns;
	make_put(m, TAPE_KIND_RUN, r);
	if (end_ns == TAPE_ABSENT_I64)
		return;
	r->at = tape_str_of("end");
	r->end_ns = end_ns;
	if (r->stop.p == NULL)
		r->stop = tape_str_of("complete");
	make_put(m, TAPE_KIND_RUN, r);
}

static inline struct tape_result
make_result_of(int64_t run, const char *id)
{
	struct tape_result r;

	tape_schema_init(TAPE_KIND_RESULT, &r);
	r.run = run;
	r.id = tape_str_of(id);
	r.ok = 1;
	r.stage = tape_str_of("measure");
	return r;
}

static inline void
make_summaries(struct make *m, int64_t run, double gap_p99_ns, double output)
{
	struct tape_summary s;

	tape_schema_init(TAPE_KIND_SUMMARY, &s);
	s.run = run;
	s.metric = tape_str_of("gap");
	s.unit = tape_str_of("ns");
	s.n = 1000;
	s.quantiles.p99 = gap_p99_ns;
	make_put(m, TAPE_KIND_SUMMARY, &s);
	s.metric = tape_str_of("output_tokens_per_s");
	s.unit = tape_str_of("per_s");
	s.quantiles.p99 = TAPE_ABSENT_F64;
	s.value = output;
	make_put(m, TAPE_KIND_SUMMARY, &s);
}

#define MAKE_MS INT64_C(1000000) /* in ns */

/* A run of n requests, one of them with these times. */
static inline void
make_small(struct make *m, struct tape_run *r, int64_t start_ns)
{
	make_run(m, r, start_ns, start_ns + MAKE_MS);
	for (int i = 0; i < 6; i++) {
		char id[16];
		struct tape_result q;

		(void)snprintf(id, sizeof(id), "p%d", i);
		q = make_result_of(r->run, id);
		q.ttft_ns = 2000000 + i;
		q.tpot_ns = 1e6 + i;
		q.latency_ns = 9000000 + i;
		make_put(m, TAPE_KIND_RESULT, &q);
	}
}

/* One segment with one run, as trace-replay makes it for an outside loop. */
static inline void
make_single(struct make *m, const char *run_id, const char *arm, int64_t round,
    const char *session, int64_t start_ns)
{
	struct tape_run r = make_run_of(1, arm, round);

	r.session = tape_str_of(session);
	make_begin(m, run_id, "[]");
	make_small(m, &r, start_ns);
	make_end(m);
}

/* How a session of runs is made. */
struct plan {
	int pairs;
	int prompts;
	double ttft_effect; /* factor of B */
	double itl_effect;
	double noise;                /* sd of the log of a run */
	double drift;                /* log a run, along the session */
	bool blocked;                /* all A, then all B */
	bool a_first;                /* in every round */
	bool swap;                   /* labels A and B change places */
	bool reversed;               /* results in the other order */
	bool no_stream;              /* no ttft, no itl, no gap */
	int fail_b;                  /* requests of B that fail, a run */
	int skip_b;                  /* round in which B is missing, 0 none */
	const char *name_a, *name_b; /* NULL: A, B */
	/* Changes a run record of B before it is written. */
	void (*change_a)(struct tape_run *r);
	void (*change_b)(struct tape_run *r);
	uint64_t seed;
};

static const struct plan plan_base = { .pairs = 8,
	.prompts = 30,
	.ttft_effect = 1,
	.itl_effect = 1,
	.noise = 0.003,
	.seed = 5 };

static inline void
plan_result(const struct plan *p, struct make *m, int64_t run, int prompt,
    const double ms[2], bool fine)
{
	struct tape_result r;
	char id[16];

	(void)snprintf(id, sizeof(id), "p%d", prompt);
	r = make_result_of(run, id);
	r.ok = fine;
	if (fine) {
		r.latency_ns = (int64_t)((ms[0] + 20 * ms[1]) * 1e6);
		r.tokens.output = 21;
		r.token_events = 21;
		r.tokens.source = tape_str_of("usage");
	}
	if (fine && !p->no_stream) {
		r.ttft_ns = (int64_t)(ms[0] * 1e6);
		r.tpot_ns = ms[1] * 1e6;
	}
	make_put(m, TAPE_KIND_RESULT, &r);
}

static inline void
plan_requests(
    const struct plan *p, struct make *m, int64_t run, bool b, double noise)
{
	double itl = 10 * exp(noise) * (b ? p->itl_effect : 1);
	double ttft = 100 * exp(noise) * (b ? p->ttft_effect : 1);

	for (int i = 0; i < p->prompts; i++) {
		int j = p->reversed ? p->prompts - 1 - i : i;
		double size = 1 + j % 7; /* prompts differ, but not by arm */
		double e = 0.001 * (double)((j * 37 + run * 11) % 10);
		double ms[2] = { ttft * size * (1 + e), itl * (1 + e) };

		plan_result(p, m, run, j, ms, !(b && j < p->fail_b));
	}
	make_summaries(
	    m, run, p->no_stream ? TAPE_ABSENT_F64 : 2e6 * itl, 1000 / itl);
}

/* A whole stream of runs, as metrics-reduce would write it. */
static inline void
plan_make(const struct plan *p, struct make *m)
{
	const char *name[2] = { p->name_a ? p->name_a : "A",
		p->name_b ? p->name_b : "B" };
	struct tape_rng rng;
	int64_t number = 0;

	make_init(m);
	make_begin(m, "r", "[]");
	tape_rng_init(&rng, p->seed, 91, 0, 0);
	for (int i = 0; i < p->pairs; i++) {
		bool ba = !p->a_first && (i % 4 == 1 || i % 4 == 2);
		double shared = 0.05 * tape_rng_normal(&rng, 0, 1);

		for (int half = 0; half < 2; half++) {
			bool b = (half == 1) != ba;
			int64_t at =
			    p->blocked ? (b ? p->pairs : 0) + i : 2 * i + half;
			double noise = shared + p->drift * (double)at +
				       p->noise * tape_rng_normal(&rng, 0, 1);
			struct tape_run r =
			    make_run_of(number + 1, name[b != p->swap], i + 1);

			if (b && p->skip_b == i + 1)
				continue;
			number++;
			r.position = half + 1;
			if (!b && p->change_a != NULL)
				p->change_a(&r);
			if (b && p->change_b != NULL)
				p->change_b(&r);
			make_run(m, &r, at * 2000000,
			    tape_str_is(r.stop, "none")
				? TAPE_ABSENT_I64
				: at * 2000000 + 1000000);
			plan_requests(p, m, number, b, noise);
		}
	}
	make_end(m);
	make_done(m);
}

/* All that comes of a stream; err says why, when st is not TAPE_OK. */
struct outcome {
	struct tape_compare_set set;
	struct tape_compare_design design;
	struct tape_compare_notes notes;
	struct tape_compare_row rows[TAPE_COMPARE_ROWS];
	struct tape_compare_verdict verdict;
	struct tape_compare_opts opts;
	struct tape_compare_report report;
	struct tape_buf text;
	struct tape_err err;
	enum tape_status st;
};

/* Whether there is a note of that code; severity -1: of any. */
static inline bool
outcome_noted(const struct outcome *o, int severity, const char *code)
{
	for (size_t i = 0; i < o->notes.n; i++)
		if (strcmp(o->notes.v[i].code, code) == 0 &&
		    (severity < 0 || (int)o->notes.v[i].severity == severity))
			return true;
	return false;
}

static inline void
outcome_init(struct outcome *o, double margin)
{
	memset(o, 0, sizeof(*o));
	o->opts.alpha = 0.05;
	o->opts.margin_ratio = margin;
	o->opts.seed = 1;
	tape_buf_init(&o->text, 1 << 20);
}

static inline void
outcome_load(struct outcome *o, const struct tape_buf *stream, size_t arm)
{
	struct tape_reader_opts ro = { .formats = TAPE_FORMAT_METRICS };
	struct tape_reader *in = NULL;

	if (o->st == TAPE_OK)
		o->st = tape_reader_open_mem(
		    &in, stream->data, stream->len, &ro, &o->err);
	if (o->st == TAPE_OK)
		o->st = tape_compare_load(&o->set, in, arm, &o->err);
	tape_reader_free(in);
}

/* From loaded runs to a printed verdict. */
static inline void
outcome_judge(struct outcome *o, bool by_order, unsigned vary)
{
	if (o->st == TAPE_OK)
		o->st = tape_compare_arrange(&o->set, &o->err);
	if (o->st == TAPE_OK)
		o->st = tape_compare_pair_runs(
		    &o->set, by_order, &o->design, &o->notes, &o->err);
	if (o->st == TAPE_OK) {
		struct tape_compare_vary v = { .bits = vary };

		tape_compare_check_design(&o->set, &v, &o->design, &o->notes);
		tape_compare_check_data(&o->design, &o->notes);
		o->st = tape_compare_rows(&o->design, o->rows, &o->err);
	}
	if (o->st == TAPE_OK)
		o->st = tape_compare_judge(&o->design, o->rows, &o->opts,
		    &o->verdict, &o->notes, &o->err);
	o->report = (struct tape_compare_report){ &o->set, &o->design, o->rows,
		&o->verdict, &o->notes, &o->opts, { NULL, 0 }, NULL, NULL };
	if (o->st == TAPE_OK) {
		tape_compare_power(o->rows, &o->opts, &o->verdict);
		tape_compare_print(&o->report, &o->text);
		o->st = tape_buf_status(&o->text, &o->err);
	}
}

static inline void
outcome_of_plan(
    struct outcome *o, const struct plan *p, double margin, unsigned vary)
{
	struct make m;

	outcome_init(o, margin);
	plan_make(p, &m);
	outcome_load(o, &m.buf, TAPE_COMPARE_ANY_ARM);
	outcome_judge(o, false, vary);
	tape_buf_release(&m.buf);
}

static inline void
outcome_release(struct outcome *o)
{
	tape_compare_notes_release(&o->notes);
	tape_compare_rows_release(o->rows);
	tape_compare_design_release(&o->design);
	tape_compare_set_release(&o->set);
	tape_buf_release(&o->text);
}

static inline void
outcome_load_any(struct outcome *o, struct make *m)
{
	outcome_init(o, 0.02);
	outcome_load(o, &m->buf, TAPE_COMPARE_ANY_ARM);
	tape_buf_release(&m->buf);
}

#endif
