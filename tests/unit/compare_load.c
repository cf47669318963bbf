/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams into runs, arms and pairs: what is refused, and who is A. */
#include "engine/compare_load.h"

#include "unit/compare_make.h"

#define MS 1000000

/* A run of n requests, one of them with these times. */
static void
put_small(struct make *m, struct tape_run *r, int64_t start_ns)
{
	make_run(m, r, start_ns, start_ns + MS);
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
static void
put_single(struct make *m, const char *run_id, const char *arm, int64_t round,
    const char *session, int64_t start_ns)
{
	struct tape_run r = make_run_of(1, arm, round);

	r.session = tape_str_of(session);
	make_begin(m, run_id, "[]");
	put_small(m, &r, start_ns);
	make_end(m);
}

static void
stray_result(struct make *m, int64_t run)
{
	struct tape_result q = make_result_of(run, "x");

	make_put(m, TAPE_KIND_RESULT, &q);
}

static void
load_any(struct outcome *o, struct make *m)
{
	outcome_init(o, 0.02);
	outcome_load(o, &m->buf, TAPE_COMPARE_ANY_ARM);
	tape_buf_release(&m->buf);
}

static void
test_outside_loop(void)
{
	struct outcome o;
	struct make m;

	make_init(&m);
	for (int i = 0; i < 4; i++) {
		char id[16];
		bool ba = i % 2 == 1;

		(void)snprintf(id, sizeof(id), "b%d", i);
		put_single(&m, id, "new", i + 1, "s", (4 * i + !ba) * 2 * MS);
		(void)snprintf(id, sizeof(id), "a%d", i);
		put_single(&m, id, "base", i + 1, "s", (4 * i + ba) * 2 * MS);
	}
	make_done(&m);
	load_any(&o, &m);
	outcome_judge(&o, false, 0);
	is_int(o.st, TAPE_OK, "loaded %s", o.err.text);
	is_int(o.design.k, 4, "four pairs, by session and round");
	is_int(o.design.a_first, 2, "whose order is that of the clock");
	ok(!o.notes.refused, "they can be compared");
	ok(o.set.by_name && tape_str_is(o.set.arm_name[0], "base"),
	    "A is the first by name, not the first that was met");
	ok(outcome_noted(&o, TAPE_COMPARE_NOTE, "arms-by-name"), "as is said");
	outcome_release(&o);
	make_init(&m);
	for (int i = 0; i < 4; i++) {
		char id[16];

		(void)snprintf(id, sizeof(id), "x%d", i);
		put_single(&m, id, i % 2 ? "B" : "A", TAPE_ABSENT_I64, NULL,
		    i * 2 * MS);
	}
	make_done(&m);
	load_any(&o, &m);
	outcome_judge(&o, false, 0);
	is_int(o.design.k, 0, "without session and round there are no pairs");
	ok(outcome_noted(&o, TAPE_COMPARE_REFUSE, "no-pairs"), "and advice");
	ok(!outcome_noted(&o, -1, "missing-arm"), "told once");
	ok(!o.set.by_name, "A and B need no explanation");
	outcome_release(&o);
}

static void
test_doubled(void)
{
	struct outcome o;
	struct make m;

	make_init(&m);
	put_single(&m, "a", "A", 1, "s", 0);
	put_single(&m, "b", "B", 1, "s", 2 * MS);
	put_single(&m, "c", "B", 1, "s", 4 * MS);
	make_done(&m);
	load_any(&o, &m);
	outcome_judge(&o, false, 0);
	ok(outcome_noted(&o, TAPE_COMPARE_REFUSE, "doubled-run"),
	    "two runs of an arm in a round are refused");
	ok(!outcome_noted(&o, -1, "missing-arm"), "and nothing else is said");
	ok(strstr(o.text.data, "round 1: two runs of arm B") != NULL, "which");
	outcome_release(&o);
	make_init(&m);
	for (int i = 0; i < 3; i++)
		put_single(&m, i == 0 ? "a" : "b", i == 0 ? "A" : "B",
		    TAPE_ABSENT_I64, "s", i * 2 * MS);
	make_done(&m);
	load_any(&o, &m);
	outcome_judge(&o, false, 0);
	ok(strstr(o.text.data,
	       "refused: runs of a session without round: two runs of arm B") !=
		NULL,
	    "nor is a missing round printed as a number");
	outcome_release(&o);
}

/* A session whose runs have two labels, x and y, y first. */
static void
two_arms(struct make *m, const char *x, const char *y, struct tape_strs arms)
{
	make_init(m);
	make_begin(m, "r", "[]");
	for (int i = 0; i < 6; i++) {
		struct tape_run r =
		    make_run_of(i + 1, i % 2 ? x : y, i / 2 + 1);

		r.arms = arms;
		put_small(m, &r, i * 2 * MS);
	}
	make_end(m);
	make_done(m);
}

static void
test_names(void)
{
	struct tape_str given[] = { tape_str_of("zoo"), tape_str_of("new"),
		tape_str_of("third") };
	struct outcome o;
	struct make m;

	two_arms(&m, "zoo", "new", (struct tape_strs){ given, 3 });
	load_any(&o, &m);
	outcome_judge(&o, false, 0);
	ok(tape_str_is(o.set.arm_name[0], "zoo") &&
		tape_str_is(o.set.arm_name[1], "new") && !o.set.by_name,
	    "the order in which arms were given tells which is A");
	ok(strstr(o.text.data, "A=zoo  B=new") != NULL, "and is printed");
	outcome_release(&o);
	two_arms(&m, "zoo", "new", (struct tape_strs){ given, 1 });
	load_any(&o, &m);
	outcome_judge(&o, false, 0);
	ok(tape_str_is(o.set.arm_name[0], "new") && o.set.by_name,
	    "otherwise their names");
	outcome_release(&o);

	two_arms(&m, "zoo", "new", (struct tape_strs){ given, 3 });
	outcome_init(&o, 0.02);
	o.set.named = true;
	o.set.arm_name[0] = tape_str_of("new");
	o.set.arm_name[1] = tape_str_of("zoo");
	outcome_load(&o, &m.buf, TAPE_COMPARE_ANY_ARM);
	outcome_judge(&o, false, 0);
	is_int(o.set.runs[0].arm, TAPE_COMPARE_A, "unless they are named");
	outcome_release(&o);
	outcome_init(&o, 0.02);
	o.set.named = true;
	o.set.arm_name[0] = tape_str_of("new");
	o.set.arm_name[1] = tape_str_of("none");
	outcome_load(&o, &m.buf, TAPE_COMPARE_ANY_ARM);
	outcome_judge(&o, false, 0);
	is_int(o.set.skipped_runs, 3, "others are left out");
	ok(outcome_noted(&o, TAPE_COMPARE_NOTE, "other-arms"), "and counted");
	ok(outcome_noted(&o, TAPE_COMPARE_REFUSE, "no-pairs"), "no pairs");
	outcome_release(&o);
	tape_buf_release(&m.buf);
}

static void
test_three_arms(void)
{
	struct outcome o;
	struct make m;

	make_init(&m);
	put_single(&m, "a", "A", 1, "s", 0);
	put_single(&m, "b", "B", 1, "s", 2 * MS);
	put_single(&m, "c", "C\n", 1, "s", 4 * MS);
	make_done(&m);
	load_any(&o, &m);
	outcome_judge(&o, false, 0);
	is_int(o.st, TAPE_E_USAGE, "of three arms two are to be named");
	is_str(o.err.text,
	    "runs of more than two arms (A, B, C?): name two with --arms",
	    "which are named");
	outcome_release(&o);
}

/* A result in a segment whose run is in the one before. */
static void
test_segments(void)
{
	struct outcome o;
	struct make m;

	make_init(&m);
	put_single(&m, "a", "A", 1, "s", 0);
	make_begin(&m, "b", "[]");
	stray_result(&m, 1);
	make_end(&m);
	make_done(&m);
	load_any(&o, &m);
	is_int(o.st, TAPE_E_FORMAT, "a run belongs to its segment");
	outcome_release(&o);
}

/* Two sessions, the later one first by name; one run has fewer prompts. */
static void
test_sessions(void)
{
	struct outcome o;
	struct make m;

	make_init(&m);
	for (int i = 0; i < 4; i++) {
		char id[16];

		(void)snprintf(id, sizeof(id), "s%d", i);
		put_single(&m, id, i % 2 ? "B" : "A", 1, i < 2 ? "z" : "a",
		    i * 2 * MS);
	}
	make_done(&m);
	load_any(&o, &m);
	outcome_judge(&o, false, 0);
	is_int(o.design.k, 2, "a pair of each session");
	ok(tape_str_is(o.design.pairs[0].run[0]->session, "z"),
	    "in order of time");
	is_int(o.design.matched, 6, "six prompts");
	outcome_release(&o);
}

/* The least of all pairs is what is said to match. */
static void
test_least_matched(void)
{
	struct plan p = plan_base;
	struct outcome o;
	struct make m;

	p.pairs = 3;
	plan_make(&p, &m);
	outcome_init(&o, 0.02);
	outcome_load(&o, &m.buf, TAPE_COMPARE_ANY_ARM);
	tape_buf_release(&m.buf);
	o.set.runs[2].request_count = 7; /* of the second pair */
	outcome_judge(&o, false, 0);
	is_int(o.design.pairs[1].matched, 7, "fewer in the second pair");
	is_int(o.design.matched, 7, "fewer in all");
	outcome_release(&o);
}

/* --a and --b: loads both, the second with labels of its own. */
static void
by_files(struct outcome *o, const char *a, const char *b1, const char *b2)
{
	struct make m;

	outcome_init(o, 0.02);
	make_init(&m);
	put_single(&m, "1", a, TAPE_ABSENT_I64, NULL, 8 * MS);
	put_single(&m, "2", a, TAPE_ABSENT_I64, NULL, 0);
	put_single(&m, "3", a, TAPE_ABSENT_I64, NULL, 16 * MS);
	make_done(&m);
	outcome_load(o, &m.buf, TAPE_COMPARE_A);
	tape_buf_release(&m.buf);
	make_init(&m);
	put_single(&m, "4", b1, 5, NULL, 4 * MS);
	put_single(&m, "5", b2, 6, NULL, 12 * MS);
	put_single(&m, "6", b1, 7, NULL, 20 * MS);
	make_done(&m);
	outcome_load(o, &m.buf, TAPE_COMPARE_B);
	tape_buf_release(&m.buf);
	outcome_judge(o, true, 0);
}

static void
test_files(void)
{
	struct outcome o;

	by_files(&o, NULL, NULL, NULL);
	is_int(o.st, TAPE_OK, "files need no labels %s", o.err.text);
	is_int(o.design.k, 3, "three pairs");
	ok(o.design.pairs[0].run[0]->start_ns <
		    o.design.pairs[1].run[0]->start_ns &&
		o.design.a_first == 3,
	    "in order of time, whatever the order of the files");
	ok(!outcome_noted(&o, -1, "interlocked"), "side by side");
	ok(tape_str_is(o.set.arm_name[0], "A") &&
		tape_str_is(o.set.arm_name[1], "B"),
	    "they are A and B");
	outcome_release(&o);
	by_files(&o, "old", "new", "new");
	ok(tape_str_is(o.set.arm_name[0], "old") &&
		tape_str_is(o.set.arm_name[1], "new"),
	    "or have their labels");
	outcome_release(&o);
	by_files(&o, "x", "x", "x");
	ok(outcome_noted(&o, TAPE_COMPARE_WARN, "labels"),
	    "one label for both is warned of");
	outcome_release(&o);
	by_files(&o, "A", "B", "A");
	is_int(o.st, TAPE_E_DATA, "two labels in one arm contradict it");
	ok(strstr(o.err.text, "'A'") && strstr(o.err.text, "'B'"), "named: %s",
	    o.err.text);
	outcome_release(&o);
	by_files(&o, "A", "B", NULL);
	is_int(o.st, TAPE_E_DATA, "as does one without beside one with");
	outcome_release(&o);
}

/* The run of B that has no end, of three. */
static void
unfinished(struct outcome *o, int which)
{
	struct make m;

	outcome_init(o, 0.02);
	for (size_t arm = 0; arm < 2; arm++) {
		make_init(&m);
		make_begin(&m, arm ? "b" : "a", "[]");
		for (int i = 0; i < 3; i++) {
			struct tape_run r =
			    make_run_of(i + 1, NULL, TAPE_ABSENT_I64);
			int64_t at = (2 * i + (int64_t)arm) * 2 * MS;

			make_run(&m, &r, at,
			    arm && i == which ? TAPE_ABSENT_I64 : at + MS);
		}
		make_end(&m);
		make_done(&m);
		outcome_load(o, &m.buf, arm);
		tape_buf_release(&m.buf);
	}
	outcome_judge(o, true, 0);
}

static void
test_unfinished_files(void)
{
	struct outcome o;

	unfinished(&o, 2);
	is_int(o.design.k, 2, "the last pair of files may lack an end");
	ok(outcome_noted(&o, TAPE_COMPARE_WARN, "unfinished"), "as is said");
	outcome_release(&o);
	unfinished(&o, 0);
	ok(outcome_noted(&o, TAPE_COMPARE_REFUSE, "unfinished"),
	    "an earlier one may not");
	outcome_release(&o);
}

/* Runs of A at 0, 1, 4, 5 and of B at 2, 3, 6, 7. */
static void
test_interlocked(void)
{
	struct outcome o;
	struct make m;

	make_init(&m);
	make_begin(&m, "r", "[]");
	for (int i = 0; i < 8; i++) {
		struct tape_run r = make_run_of(
		    i + 1, i % 4 < 2 ? "A" : "B", i / 4 * 2 + i % 2 + 1);

		put_small(&m, &r, i * 2 * MS);
	}
	make_end(&m);
	make_done(&m);
	load_any(&o, &m);
	outcome_judge(&o, false, 0);
	ok(outcome_noted(&o, TAPE_COMPARE_WARN, "interlocked"),
	    "runs of other pairs in between are warned of");
	outcome_release(&o);
}

static void
interrupted(struct tape_run *r)
{
	if (r->round == 8)
		r->stop = tape_str_of("interrupted");
}

static void
endless(struct tape_run *r)
{
	if (r->round == 8)
		r->stop = tape_str_of("none");
}

static void
interrupted_early(struct tape_run *r)
{
	if (r->round == 3)
		r->stop = tape_str_of("interrupted");
}

static void
aborted(struct tape_run *r)
{
	if (r->round == 8)
		r->stop = tape_str_of("aborted");
}

static void
test_endings(void)
{
	struct plan p = plan_base;
	struct outcome o;

	p.change_b = interrupted;
	outcome_of_plan(&o, &p, 0.02, 0);
	is_int(o.design.k, 7, "an interrupted last run makes no pair");
	ok(!o.notes.refused &&
		outcome_noted(&o, TAPE_COMPARE_WARN, "unfinished"),
	    "which is said");
	outcome_release(&o);
	p.change_b = endless;
	outcome_of_plan(&o, &p, 0.02, 0);
	is_int(o.design.k, 7, "nor does one without end");
	outcome_release(&o);
	p.change_b = interrupted_early;
	outcome_of_plan(&o, &p, 0.02, 0);
	ok(outcome_noted(&o, TAPE_COMPARE_REFUSE, "unfinished"),
	    "in the middle of a session it is refused");
	outcome_release(&o);
	p.change_b = aborted;
	outcome_of_plan(&o, &p, 0.02, 0);
	is_int(o.design.k, 8, "a run that was aborted counts");
	ok(outcome_noted(&o, TAPE_COMPARE_WARN, "aborted"), "with a warning");
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
	load_any(o, &m);
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

		put_small(&m, &r, i * 2 * MS);
		put_doubts(&m, i + 1, i % 2 == 1);
	}
	make_end(&m);
	make_done(&m);
	load_any(&o, &m);
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

		put_small(&m, &r, i * 2 * MS);
		q.tokens.output = i % 2 ? 1000 + b : 1000;
		/* B answered it twice: that makes it no longer. */
		for (int j = 0; j <= i % 2; j++)
			make_put(&m, TAPE_KIND_RESULT, &q);
	}
	make_end(&m);
	make_done(&m);
	load_any(o, &m);
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
	load_any(o, &m);
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
	load_any(&o, &m);
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
	load_any(&o, &m);
	ok(o.set.origin.first.meta.p == NULL, "else none");
	outcome_release(&o);
}

int
main(void)
{
	test_outside_loop();
	test_doubled();
	test_names();
	test_three_arms();
	test_segments();
	test_sessions();
	test_least_matched();
	test_files();
	test_unfinished_files();
	test_interlocked();
	test_endings();
	test_bad_streams();
	test_limit();
	test_values();
	test_doubts();
	test_lengths();
	test_times();
	test_origin();
	return done_testing();
}
