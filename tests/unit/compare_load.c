/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams into runs: what is refused, and what each run comes to. */
#include "engine/compare_load.h"

#include "unit/compare_make.h"

static void
stray_result(struct make *m, int64_t run)
{
	struct tape_result q = make_result_of(run, "x");

	make_put(m, TAPE_KIND_RESULT, &q);
}

/* A result in a segment whose run is in the one before. */
static void
test_segments(void)
{
	struct outcome o;
	struct make m;

	make_init(&m);
	make_single(&m, "a", "A", 1, "s", 0);
	make_begin(&m, "b", "[]");
	stray_result(&m, 1);
	make_end(&m);
	make_done(&m);
	outcome_load_any(&o, &m);
	is_int(o.st, TAPE_E_FORMAT, "a run belongs to its segment");
	outcome_release(&o);
}

/* Ends a stream with one run, into which f put what it likes. */
static void
load_one(struct outcome *o, const char *epoch, void (*f)(struct make *m))
{
	struct make m;

	make_init(&m);
	m.epoch = epoch;
	make_begin(&m, "r", "[]");
	f(&m);
	make_end(&m);
	make_done(&m);
	outcome_load_any(o, &m);
}

static void
stray_result_7(struct make *m)
{
	stray_result(m, 7);
}

static void
stray_end(struct make *m)
{
	struct tape_run r = make_run_of(7, "A", 1);

	r.at = tape_str_of("end");
	make_put(m, TAPE_KIND_RUN, &r);
}

static void
odd_run(struct make *m)
{
	struct tape_run r = make_run_of(7, "A", 1);

	r.at = tape_str_of("middle");
	make_put(m, TAPE_KIND_RUN, &r);
}

static void
late_run(struct make *m)
{
	struct tape_run r = make_run_of(7, "A", 1);

	make_run(m, &r, TAPE_FIELD_I64_MAX, TAPE_ABSENT_I64);
}

static void
late_end(struct make *m)
{
	struct tape_run r = make_run_of(7, "A", 1);

	make_run(m, &r, 0, TAPE_FIELD_I64_MAX);
}

static void
nameless_run(struct make *m)
{
	struct tape_run r = make_run_of(7, NULL, 1);

	make_run(m, &r, 0, 1);
}

static void
test_bad_streams(void)
{
	static const struct {
		void (*f)(struct make *m);
		enum tape_status st;
		const char *text;
	} cases[] = {
		{ stray_result_7, TAPE_E_FORMAT,
		    "result of run 7, which was not announced" },
		{ stray_end, TAPE_E_FORMAT, "end of run 7 without its start" },
		{ odd_run, TAPE_E_FORMAT,
		    "a run record is neither at its start nor at its end" },
		{ late_run, TAPE_E_FORMAT,
		    "a time of the run is out of range" },
		{ late_end, TAPE_E_FORMAT,
		    "a time of the run is out of range" },
		{ nameless_run, TAPE_E_DATA,
		    "run without arm label: use --a and --b, or trace-replay "
		    "--arm" },
	};
	struct outcome o;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		load_one(&o, "2262-04-01T00:00:00.000000000Z", cases[i].f);
		is_int(o.st, cases[i].st, "%s", cases[i].text);
		is_str(o.err.text, cases[i].text, "is said");
		ok(o.err.line > 1, "with its line");
		outcome_release(&o);
	}
}

static void
many_runs(struct make *m)
{
	for (int i = 0; i <= TAPE_COMPARE_RUNS_MAX; i++) {
		struct tape_run r = make_run_of(i + 1, "A", i + 1);

		make_run(m, &r, i, TAPE_ABSENT_I64);
	}
}

static void
test_limit(void)
{
	struct outcome o;

	load_one(&o, NULL, many_runs);
	is_int(o.st, TAPE_E_LIMIT, "there is a limit on runs");
	outcome_release(&o);
}

/* What metrics-reduce says of a part of the run, by --by. */
static void
put_group(struct make *m)
{
	struct tape_summary s;
	struct tape_check c;

	tape_schema_init(TAPE_KIND_SUMMARY, &s);
	s.run = 1;
	s.group = tape_str_of("{\"isl\":1}");
	s.metric = tape_str_of("gap");
	s.unit = tape_str_of("ns");
	s.n = 5;
	s.quantiles.p99 = 99;
	make_put(m, TAPE_KIND_SUMMARY, &s);
	/* What it says of several runs together. */
	s.group = tape_str_of(NULL);
	s.n_runs = 3;
	s.quantiles.p99 = 98;
	make_put(m, TAPE_KIND_SUMMARY, &s);
	s.group = tape_str_of("{\"isl\":1}");
	tape_schema_init(TAPE_KIND_CHECK, &c);
	c.run = 1;
	c.group = s.group;
	c.name = tape_str_of("errors");
	c.status = tape_str_of("fail");
	make_put(m, TAPE_KIND_CHECK, &c);
	c.group = tape_str_of(NULL);
	c.status = tape_str_of("warn");
	make_put(m, TAPE_KIND_CHECK, &c);
}

/* Repeats, a warm-up, and values of all kinds, in one run. */
static void
odd_values(struct make *m)
{
	static const struct {
		const char *id;
		int64_t latency_ns;
		double tpot_ns;
		int64_t output;
	} v[] = {
		{ "x", 1000, 0, 10 },
		{ "x", 4000, 8, 30 },
		{ "y", 9000, 2, TAPE_ABSENT_I64 },
		{ "z", -5, -1, 6 },
		{ "", TAPE_ABSENT_I64, TAPE_ABSENT_F64, 7 },
	};
	struct tape_run r = make_run_of(1, "A", 1);
	struct tape_result q = make_result_of(1, "w");

	make_run(m, &r, 0, 1);
	q.stage = tape_str_of("warmup");
	q.latency_ns = 1;
	make_put(m, TAPE_KIND_RESULT, &q);
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		q = make_result_of(1, v[i].id);
		q.latency_ns = v[i].latency_ns;
		q.tpot_ns = v[i].tpot_ns;
		q.tokens.output = v[i].output;
		q.tokens.source = tape_str_of(i == 4 ? "events" : "usage");
		q.token_events = 5;
		make_put(m, TAPE_KIND_RESULT, &q);
	}
	q = make_result_of(1, "x");
	q.ok = 0;
	make_put(m, TAPE_KIND_RESULT, &q);
	make_summaries(m, 1, 77, 88);
	put_group(m);
}

static void
test_values(void)
{
	struct tape_compare_run *r;
	struct outcome o;

	load_one(&o, NULL, odd_values);
	is_int(tape_compare_arrange(&o.set, &o.err), TAPE_OK, "arranged");
	r = &o.set.runs[0];
	is_int(r->n, 5, "five succeeded, the warm-up not counted");
	is_int(r->failed, 1, "one failed");
	is_int(r->request_count, 4, "of four ids");
	ok(tape_str_is(r->requests[0].id, "") &&
		tape_str_is(r->requests[1].id, "x"),
	    "sorted");
	is_near(r->requests[1].log_value[TAPE_COMPARE_LATENCY], log(2000),
	    1e-12, "repeats are averaged in the log");
	is_near(r->requests[1].log_value[TAPE_COMPARE_TPOT], log(8), 1e-12,
	    "of those that have it");
	is_near(r->requests[1].output_tokens, 20, 1e-12, "tokens as they are");
	ok(isnan(r->requests[2].output_tokens), "or are unknown");
	is_int(r->level[TAPE_COMPARE_LATENCY].n, 3, "each counts in the run");
	is_near(r->level[TAPE_COMPARE_LATENCY].mean, 14000.0 / 3, 1e-12,
	    "its mean");
	is_near(r->level[TAPE_COMPARE_LATENCY].median, 4000, 1e-12, "median");
	is_near(r->level[TAPE_COMPARE_LATENCY].p99, 4000 + 0.98 * 5000, 1e-12,
	    "p99 by type 7");
	ok(isnan(r->level[TAPE_COMPARE_TTFT].mean), "without values none");
	is_int(r->doubts.bad_times, 2, "times that are not positive");
	is_int(r->doubts.instant, 1, "all tokens at once");
	is_int(r->doubts.from_events, 1, "tokens counted from events");
	is_near(r->doubts.tokens / r->doubts.events, 46.0 / 15, 1e-12,
	    "tokens an event");
	is_int(r->doubts.checks_failed, 0, "checks of groups are not its own");
	is_near(r->gap_p99_ns, 77, 0, "gaps from the summary of all");
	is_near(r->output_tokens_per_s, 88, 0, "and throughput");
	outcome_release(&o);
}

/* Every doubt at once, in B. */
static void
put_doubts(struct make *m, int64_t run, bool b)
{
	struct tape_fidelity f;
	struct tape_check c;
	struct tape_result q = make_result_of(run, "q");

	if (!b)
		return;
	tape_schema_init(TAPE_KIND_FIDELITY, &f);
	f.run = run;
	f.verdict = tape_str_of("suspect");
	make_put(m, TAPE_KIND_FIDELITY, &f);
	tape_schema_init(TAPE_KIND_CHECK, &c);
	c.run = run;
	c.name = tape_str_of("errors");
	c.status = tape_str_of("fail");
	make_put(m, TAPE_KIND_CHECK, &c);
	q.tpot_ns = 0;
	q.latency_ns = 0;
	q.tokens.output = 50;
	q.token_events = 5;
	q.tokens.source = tape_str_of("usage");
	make_put(m, TAPE_KIND_RESULT, &q);
	q.tokens.source = tape_str_of("events");
	make_put(m, TAPE_KIND_RESULT, &q);
}

static void
test_doubts(void)
{
	static const char *const codes[] = { "bad-times", "client", "checks",
		"instant", "chunked", "from-events", "few-matched" };
	struct outcome o;
	struct make m;

	make_init(&m);
	make_begin(&m, "r", "[]");
	for (int i = 0; i < 6; i++) {
		struct tape_run r =
		    make_run_of(i + 1, i % 2 ? "B" : "A", i / 2 + 1);

		make_small(&m, &r, i * 2 * MAKE_MS);
		put_doubts(&m, i + 1, i % 2 == 1);
	}
	make_end(&m);
	make_done(&m);
	outcome_load_any(&o, &m);
	outcome_judge(&o, false, 0);
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		ok(outcome_noted(&o, -1, codes[i]), "%s is told", codes[i]);
	is_int(o.verdict.overall, TAPE_COMPARE_ALL_NONE,
	    "times that are not positive forbid a verdict");
	outcome_release(&o);
}

/* The same prompts, answered longer by b tokens. */
static void
load_lengths(struct outcome *o, int64_t b)
{
	struct make m;

	make_init(&m);
	make_begin(&m, "r", "[]");
	for (int i = 0; i < 6; i++) {
		struct tape_run r =
		    make_run_of(i + 1, i % 2 ? "B" : "A", i / 2 + 1);
		struct tape_result q = make_result_of(i + 1, "q");

		make_small(&m, &r, i * 2 * MAKE_MS);
		q.tokens.output = i % 2 ? 1000 + b : 1000;
		/* B answered it twice: that makes it no longer. */
		for (int j = 0; j <= i % 2; j++)
			make_put(&m, TAPE_KIND_RESULT, &q);
	}
	make_end(&m);
	make_done(&m);
	outcome_load_any(o, &m);
	outcome_judge(o, false, 0);
}

static void
test_lengths(void)
{
	struct outcome o;

	load_lengths(&o, 9);
	ok(!outcome_noted(&o, -1, "output-lengths"), "0.9 %% longer is alike");
	outcome_release(&o);
	load_lengths(&o, 11);
	ok(outcome_noted(&o, TAPE_COMPARE_WARN, "output-lengths"),
	    "1.1 %% is not");
	ok(strstr(o.text.data, "are 1.1 % longer: compare tokens") != NULL,
	    "and said");
	outcome_release(&o);
	load_lengths(&o, -500);
	ok(strstr(o.text.data, "are 50.0 % shorter") != NULL, "as is shorter");
	outcome_release(&o);
}

/* What overlaps, or ends before it starts. */
static void
load_times(struct outcome *o, int64_t end_a, int64_t start_b)
{
	struct make m;

	make_init(&m);
	make_begin(&m, "r", "[]");
	for (int i = 0; i < 3; i++) {
		struct tape_run a = make_run_of(2 * i + 1, "A", i + 1);
		struct tape_run b = make_run_of(2 * i + 2, "B", i + 1);

		make_run(&m, &a, i * 100, i * 100 + end_a);
		make_run(&m, &b, i * 100 + start_b, i * 100 + start_b + 5);
	}
	make_end(&m);
	make_done(&m);
	outcome_load_any(o, &m);
	outcome_judge(o, false, 0);
}

static void
test_times(void)
{
	struct outcome o;

	load_times(&o, 10, 10);
	ok(!outcome_noted(&o, -1, "overlap"), "end to end is no overlap");
	outcome_release(&o);
	load_times(&o, 11, 10);
	ok(outcome_noted(&o, TAPE_COMPARE_REFUSE, "overlap"), "more is");
	outcome_release(&o);
	load_times(&o, -1, 10);
	ok(outcome_noted(&o, TAPE_COMPARE_REFUSE, "clock-backward"),
	    "a run that ends before it starts is refused");
	outcome_release(&o);
}

/* The header of a report: of the first segment, with all chains. */
static void
test_origin(void)
{
	static const char chain[] = "[{\"id\":\"p1\",\"tool\":\"x\"}]";
	struct outcome o;
	struct make m;

	make_init(&m);
	m.meta = "{\"x\":1}";
	for (int i = 0; i < 3; i++) {
		make_begin(&m, i == 0 ? "one" : "two", i == 1 ? "[]" : chain);
		make_end(&m);
	}
	make_done(&m);
	outcome_load_any(&o, &m);
	ok(tape_str_is(o.set.origin.first.meta, "{\"x\":1}"),
	    "meta, where all have the same");
	is_int(o.set.origin.n, 2, "chains that are the same are kept once");
	ok(tape_str_is(o.set.origin.first.run_id, "one"), "the first header");
	ok(tape_str_is(o.set.origin.first.format, "llmtape.metrics"),
	    "with its format");
	outcome_release(&o);
	make_init(&m);
	m.meta = "{\"x\":1}";
	make_begin(&m, "one", chain);
	make_end(&m);
	m.meta = "{\"x\":2}";
	make_begin(&m, "two", chain);
	make_end(&m);
	make_done(&m);
	outcome_load_any(&o, &m);
	ok(o.set.origin.first.meta.p == NULL, "else none");
	outcome_release(&o);
}

int
main(void)
{
	test_segments();
	test_bad_streams();
	test_limit();
	test_values();
	test_doubts();
	test_lengths();
	test_times();
	test_origin();
	return done_testing();
}
