/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare.h"

#include "codec/stat_rng.h"
#include "engine/compare_load.h"
#include "engine/compare_record.h"
#include "record/writer.h"
#include "unit/tap.h"

#include <stdlib.h>

/* How a session of runs is made. */
struct plan {
	int pairs;
	int prompts;
	double ttft_effect; /* factor of B */
	double itl_effect;
	double noise;  /* sd of the log of a run */
	bool blocked;  /* all A, then all B */
	bool a_first;  /* in every round */
	bool swap;     /* labels A and B change places */
	bool reversed; /* results in the other order */
	const char *b_model;
	int fail_b;   /* requests of B that fail, a run */
	int skip_b;   /* round in which B is missing, 0 none */
	double drift; /* log a run, along the session */
	uint64_t seed;
};

static struct tape_writer *out;

static void
must(enum tape_status st)
{
	if (st != TAPE_OK)
		exit(1);
}

static void
put_run(int64_t number, const char *arm, int64_t round, int64_t t_ns,
    const char *model)
{
	struct tape_err err = { 0 };
	struct tape_run r;

	tape_schema_init(TAPE_KIND_RUN, &r);
	r.at = tape_str_of("start");
	r.run = number;
	r.arm = tape_str_of(arm);
	r.round = round;
	r.model = tape_str_of(model);
	r.concurrency = 4;
	r.start_ns = t_ns;
	must(tape_writer_put(out, TAPE_KIND_RUN, &r, &err));
	r.at = tape_str_of("end");
	r.end_ns = t_ns + 1000000;
	must(tape_writer_put(out, TAPE_KIND_RUN, &r, &err));
}

static void
put_result(int64_t run, int prompt, double ttft, double itl, bool ok_)
{
	struct tape_err err = { 0 };
	struct tape_result r;
	char id[16];

	(void)snprintf(id, sizeof(id), "p%d", prompt);
	tape_schema_init(TAPE_KIND_RESULT, &r);
	r.run = run;
	r.id = tape_str_of(id);
	r.ok = ok_;
	r.stage = tape_str_of("measure");
	if (ok_) {
		r.ttft_ns = (int64_t)(ttft * 1e6);
		r.tpot_ns = itl * 1e6;
		r.latency_ns = (int64_t)((ttft + 20 * itl) * 1e6);
		r.tokens.output = 21;
	}
	must(tape_writer_put(out, TAPE_KIND_RESULT, &r, &err));
}

static void
put_summaries(int64_t run, double itl)
{
	struct tape_err err = { 0 };
	struct tape_summary s;

	tape_schema_init(TAPE_KIND_SUMMARY, &s);
	s.run = run;
	s.metric = tape_str_of("gap");
	s.unit = tape_str_of("ns");
	s.n = 1000;
	s.quantiles.p99 = 2 * itl * 1e6;
	must(tape_writer_put(out, TAPE_KIND_SUMMARY, &s, &err));
	s.metric = tape_str_of("output_tokens_per_s");
	s.unit = tape_str_of("per_s");
	s.quantiles.p99 = TAPE_ABSENT_F64;
	s.value = 1000 / itl;
	must(tape_writer_put(out, TAPE_KIND_SUMMARY, &s, &err));
}

static void
put_requests(const struct plan *p, int64_t number, bool b, double run_noise)
{
	struct tape_rng rng;
	double itl = 10 * exp(run_noise), ttft = 100 * exp(run_noise);

	if (b) {
		itl *= p->itl_effect;
		ttft *= p->ttft_effect;
	}
	tape_rng_init(&rng, p->seed, 90, (uint32_t)number, 0);
	for (int i = 0; i < p->prompts; i++) {
		int j = p->reversed ? p->prompts - 1 - i : i;
		double size = 1 + j % 7; /* prompts differ, but not by arm */
		double e = 0.001 * (double)((j * 37 + number * 11) % 10);

		put_result(number, j, ttft * size * (1 + e), itl * (1 + e),
		    !(b && j < p->fail_b));
	}
	put_summaries(number, itl);
}

/* A whole stream of runs, as metrics-reduce would write it. */
static void
make(const struct plan *p, struct tape_buf *buf)
{
	struct tape_out_opts plain = { .level = 0 };
	struct tape_err err = { 0 };
	struct tape_header h;
	struct tape_out *sink;
	struct tape_rng rng;
	int64_t number = 0;

	tape_buf_init(buf, 1 << 26);
	must(tape_out_open_buf(&sink, buf, &plain, &err));
	must(tape_writer_open(&out, sink, TAPE_FORMAT_METRICS, &err));
	tape_schema_init(TAPE_KIND_HEADER, &h);
	h.epoch = tape_str_of("2026-03-01T12:00:00.000000000Z");
	h.epoch_mono = tape_str_of("0.000000000");
	h.run_id = tape_str_of("r");
	h.prov = tape_str_of("[]");
	must(tape_writer_header(out, &h, &err));
	tape_rng_init(&rng, p->seed, 91, 0, 0);
	for (int i = 0; i < p->pairs; i++) {
		bool ba = !p->a_first && (i % 4 == 1 || i % 4 == 2);
		double shared = 0.05 * tape_rng_normal(&rng, 0, 1);

		for (int half = 0; half < 2; half++) {
			bool b = (half == 1) != ba;
			bool label_b = b != p->swap;
			int64_t at =
			    p->blocked ? (b ? p->pairs : 0) + i : 2 * i + half;
			double noise = shared + p->drift * (double)at +
				       p->noise * tape_rng_normal(&rng, 0, 1);

			if (b && p->skip_b == i + 1)
				continue;
			number++;
			put_run(number, label_b ? "B" : "A", i + 1,
			    at * 2000000, b && p->b_model ? p->b_model : "m");
			put_requests(p, number, b, noise);
		}
	}
	must(tape_writer_end(out, TAPE_ENDING_COMPLETE, &err));
	must(tape_writer_close(out, &err));
}

struct outcome {
	struct tape_compare_set set;
	struct tape_compare_design design;
	struct tape_compare_notes notes;
	struct tape_compare_row rows[TAPE_COMPARE_ROWS];
	struct tape_compare_verdict verdict;
	struct tape_compare_opts opts;
	struct tape_buf text;
	enum tape_status st;
};

static bool
noted(const struct outcome *o, const char *code)
{
	for (size_t i = 0; i < o->notes.n; i++)
		if (strcmp(o->notes.v[i].code, code) == 0)
			return true;
	return false;
}

static void
compare(const struct plan *p, double margin, unsigned vary, struct outcome *o)
{
	struct tape_reader_opts ro = { .formats = TAPE_FORMAT_METRICS };
	struct tape_compare_report report;
	struct tape_err err = { 0 };
	struct tape_reader *in;
	struct tape_buf buf;

	memset(o, 0, sizeof(*o));
	make(p, &buf);
	o->opts.alpha = 0.05;
	o->opts.margin_ratio = margin;
	o->set.arm_name[0] = tape_str_of("A");
	o->set.arm_name[1] = tape_str_of("B");
	o->set.arms = 2;
	must(tape_reader_open_mem(&in, buf.data, buf.len, &ro, &err));
	o->st = tape_compare_load(&o->set, in, TAPE_COMPARE_ANY_ARM, &err);
	tape_reader_free(in);
	tape_compare_load_done(&o->set);
	if (o->st == TAPE_OK)
		o->st = tape_compare_pair_runs(
		    &o->set, false, vary, &o->design, &o->notes, &err);
	if (o->st == TAPE_OK)
		o->st = tape_compare_rows(&o->design, o->rows, &err);
	if (o->st == TAPE_OK)
		o->st = tape_compare_judge(&o->design, o->rows, &o->opts,
		    &o->verdict, &o->notes, &err);
	is_int(o->st, TAPE_OK, "compared %s", err.text);
	report = (struct tape_compare_report){ &o->set, &o->design, o->rows,
		&o->verdict, &o->notes, &o->opts };
	tape_buf_init(&o->text, 1 << 20);
	tape_compare_print(&report, &o->text);
	tape_buf_release(&buf);
}

static void
drop(struct outcome *o)
{
	tape_compare_notes_release(&o->notes);
	tape_compare_rows_release(o->rows);
	tape_compare_design_release(&o->design);
	tape_compare_set_release(&o->set);
	tape_buf_release(&o->text);
}

static const struct plan base = { .pairs = 8,
	.prompts = 30,
	.ttft_effect = 1,
	.itl_effect = 1,
	.noise = 0.003,
	.seed = 5 };

enum {
	TTFT,
	TTFT_P99,
	ITL,
	GAP,
	LATENCY,
	LATENCY_MEAN,
	LATENCY_P99,
	OUTPUT,
	FAILED
};

static void
test_slower_decode(void)
{
	struct plan p = base;
	struct outcome o;

	p.itl_effect = 1.05;
	compare(&p, 0.02, 0, &o);
	is_int((int64_t)o.design.k, 8, "eight pairs");
	is_int((int64_t)o.design.matched, 30, "all prompts matched");
	is_int(o.verdict.rows[ITL].status, TAPE_COMPARE_LOSS, "decode is lost");
	is_near(o.verdict.rows[ITL].ratio, 1.05, 0.01, "by 5 %%");
	is_near(o.verdict.rows[ITL].p, 2.0 / 256, 1e-12, "exact sign flip");
	ok(o.verdict.rows[TTFT].status != TAPE_COMPARE_LOSS &&
		o.verdict.rows[TTFT].status != TAPE_COMPARE_POSSIBLE_LOSS,
	    "prefill is not");
	is_int(o.verdict.rows[OUTPUT].status, TAPE_COMPARE_LOSS,
	    "a lower throughput is a loss too");
	ok(o.verdict.rows[OUTPUT].ratio < 1, "though its ratio is below 1");
	is_int(o.verdict.overall, TAPE_COMPARE_ALL_LOSS, "overall a loss");
	ok(strstr(o.text.data, "overall: LOSS.  B loses in decode (itl +") !=
		NULL,
	    "the text says so");
	ok(strstr(o.text.data, "same") == NULL, "and never says same");
	drop(&o);
}

/* Swapping the arms turns ratio and interval over, exactly. */
static void
test_swap(void)
{
	struct plan p = base;
	struct outcome x, y;

	p.itl_effect = 1.02;
	compare(&p, 0.02, 0, &x);
	p.swap = true;
	compare(&p, 0.02, 0, &y);
	for (size_t i = 0; i < TAPE_COMPARE_ROWS - 1; i++) {
		is_near(y.verdict.rows[i].ratio, 1 / x.verdict.rows[i].ratio,
		    1e-12, "row %zu: ratio inverted", i);
		is_near(y.verdict.rows[i].ci.lo, 1 / x.verdict.rows[i].ci.hi,
		    1e-12, "row %zu: interval inverted", i);
		is_near(y.verdict.rows[i].p, x.verdict.rows[i].p, 1e-12,
		    "row %zu: p kept", i);
	}
	is_int(x.verdict.rows[ITL].status, TAPE_COMPARE_LOSS, "a loss");
	is_int(y.verdict.rows[ITL].status, TAPE_COMPARE_WIN, "becomes a win");
	drop(&x);
	drop(&y);
}

static void
test_order_of_lines(void)
{
	struct plan p = base;
	struct outcome x, y;

	compare(&p, 0.02, 0, &x);
	p.reversed = true;
	compare(&p, 0.02, 0, &y);
	is_str(
	    y.text.data, x.text.data, "the order of results changes nothing");
	drop(&x);
	drop(&y);
}

static void
test_equal(void)
{
	struct plan p = base;
	struct outcome o;

	p.noise = 0;
	compare(&p, 0.02, 0, &o);
	is_near(o.verdict.rows[OUTPUT].ratio, 1, 1e-12, "ratio 1");
	is_near(o.verdict.rows[OUTPUT].p, 1, 1e-12, "p 1");
	is_int(o.verdict.rows[OUTPUT].status, TAPE_COMPARE_EQUIVALENT,
	    "equivalent within the margin");
	is_int(o.verdict.rows[FAILED].status, TAPE_COMPARE_EQUIVALENT,
	    "as are no failures");
	drop(&o);
	compare(&p, TAPE_ABSENT_F64, 0, &o);
	is_int(o.verdict.rows[OUTPUT].status, TAPE_COMPARE_UNDECIDED,
	    "without a margin nothing is equivalent");
	drop(&o);
}

static void
test_few_pairs(void)
{
	struct plan p = base;
	struct outcome o;

	p.itl_effect = 1.5;
	for (p.pairs = 1; p.pairs <= 2; p.pairs++) {
		compare(&p, 0.02, 0, &o);
		is_int(o.verdict.overall, TAPE_COMPARE_ALL_NONE,
		    "%d pairs: no verdict", p.pairs);
		ok(!isnan(o.verdict.rows[ITL].ratio), "but values");
		drop(&o);
	}
	p.pairs = 4;
	p.noise = 0.001;
	compare(&p, 0.02, 0, &o);
	is_str(o.verdict.rows[ITL].test, "paired-t", "four pairs: t");
	is_int(o.verdict.rows[ITL].status, TAPE_COMPARE_LOSS,
	    "which shows a large effect");
	ok(noted(&o, "provisional"), "and is provisional");
	drop(&o);
}

static void
test_refusals(void)
{
	struct plan p = base;
	struct outcome o;

	p.itl_effect = 1.5;
	p.blocked = true;
	compare(&p, 0.02, 0, &o);
	is_int(o.verdict.overall, TAPE_COMPARE_ALL_NONE,
	    "all A, then all B: no verdict");
	ok(noted(&o, "not-interleaved"), "since they are not interleaved");
	drop(&o);
	p = base;
	p.b_model = "other";
	compare(&p, 0.02, 0, &o);
	ok(noted(&o, "conditions") && o.notes.refused, "models differ");
	drop(&o);
	compare(&p, 0.02, TAPE_COMPARE_VARY_MODEL, &o);
	ok(!o.notes.refused, "unless that is what is compared");
	drop(&o);
	p = base;
	p.skip_b = 3;
	compare(&p, 0.02, 0, &o);
	ok(o.notes.refused && noted(&o, "missing-arm"), "a round lacks an arm");
	drop(&o);
	p.skip_b = 8;
	compare(&p, 0.02, 0, &o);
	ok(!o.notes.refused && noted(&o, "missing-arm"),
	    "the last one is left out");
	is_int((int64_t)o.design.k, 7, "of the pairs");
	drop(&o);
}

/* A drift that always meets A first is not taken for an effect. */
static void
test_drift(void)
{
	struct plan p = base;
	struct outcome o;

	p.a_first = true;
	p.drift = 0.01;
	p.noise = 0.001;
	compare(&p, 0.02, 0, &o);
	ok(noted(&o, "a-always-first"), "A always first is warned of");
	is_int(o.verdict.rows[LATENCY].status, TAPE_COMPARE_UNDECIDED,
	    "and what drift explains is withheld");
	ok(fabs(log(o.verdict.rows[LATENCY].drift_ratio)) <
		fabs(log(o.verdict.rows[LATENCY].ratio)),
	    "the adjusted estimate is nearer to 1");
	drop(&o);
}

static void
test_failures(void)
{
	struct plan p = base;
	struct outcome o;

	p.fail_b = 6;
	compare(&p, 0.02, 0, &o);
	is_near(o.verdict.rows[FAILED].ratio, 0.2, 1e-12,
	    "failed share differs by 20 points");
	is_int(o.verdict.rows[FAILED].status, TAPE_COMPARE_LOSS, "a loss");
	ok(noted(&o, "failures"), "and warned of");
	is_int((int64_t)o.design.matched, 24, "failed ones match nothing");
	drop(&o);
}

static void
test_medians(void)
{
	struct plan p = base;
	struct outcome o;

	p.prompts = 4;
	p.itl_effect = 1.2;
	compare(&p, 0.02, 0, &o);
	is_int(o.rows[ITL].statistic, TAPE_COMPARE_MEDIANS,
	    "below 5 prompts medians are compared");
	is_int(o.verdict.rows[ITL].status, TAPE_COMPARE_LOSS, "to effect");
	ok(noted(&o, "few-matched"), "with a warning");
	drop(&o);
}

int
main(void)
{
	test_slower_decode();
	test_swap();
	test_order_of_lines();
	test_equal();
	test_few_pairs();
	test_refusals();
	test_drift();
	test_failures();
	test_medians();
	return done_testing();
}
