/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs into arms and pairs: who is A, and what belongs together. */
#include "engine/compare_pair.h"

#include "unit/compare_make.h"

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
		make_single(
		    &m, id, "new", i + 1, "s", (4 * i + !ba) * 2 * MAKE_MS);
		(void)snprintf(id, sizeof(id), "a%d", i);
		make_single(
		    &m, id, "base", i + 1, "s", (4 * i + ba) * 2 * MAKE_MS);
	}
	make_done(&m);
	outcome_load_any(&o, &m);
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
		make_single(&m, id, i % 2 ? "B" : "A", TAPE_ABSENT_I64, NULL,
		    i * 2 * MAKE_MS);
	}
	make_done(&m);
	outcome_load_any(&o, &m);
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
	make_single(&m, "a", "A", 1, "s", 0);
	make_single(&m, "b", "B", 1, "s", 2 * MAKE_MS);
	make_single(&m, "c", "B", 1, "s", 4 * MAKE_MS);
	make_done(&m);
	outcome_load_any(&o, &m);
	outcome_judge(&o, false, 0);
	ok(outcome_noted(&o, TAPE_COMPARE_REFUSE, "doubled-run"),
	    "two runs of an arm in a round are refused");
	ok(!outcome_noted(&o, -1, "missing-arm"), "and nothing else is said");
	ok(strstr(o.text.data, "round 1: two runs of arm B") != NULL, "which");
	outcome_release(&o);
	make_init(&m);
	for (int i = 0; i < 3; i++)
		make_single(&m, i == 0 ? "a" : "b", i == 0 ? "A" : "B",
		    TAPE_ABSENT_I64, "s", i * 2 * MAKE_MS);
	make_done(&m);
	outcome_load_any(&o, &m);
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
		make_small(m, &r, i * 2 * MAKE_MS);
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
	outcome_load_any(&o, &m);
	outcome_judge(&o, false, 0);
	ok(tape_str_is(o.set.arm_name[0], "zoo") &&
		tape_str_is(o.set.arm_name[1], "new") && !o.set.by_name,
	    "the order in which arms were given tells which is A");
	ok(strstr(o.text.data, "A=zoo  B=new") != NULL, "and is printed");
	outcome_release(&o);
	two_arms(&m, "zoo", "new", (struct tape_strs){ given, 1 });
	outcome_load_any(&o, &m);
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
	make_single(&m, "a", "A", 1, "s", 0);
	make_single(&m, "b", "B", 1, "s", 2 * MAKE_MS);
	make_single(&m, "c", "C\n", 1, "s", 4 * MAKE_MS);
	make_done(&m);
	outcome_load_any(&o, &m);
	is_int(o.st, TAPE_OK, "three arms %s", o.err.text);
	is_int(tape_compare_arrange(&o.set, &o.err), TAPE_OK, "are arranged");
	is_int((int64_t)o.set.many.n, 3, "as three");
	ok(tape_str_is(o.set.many.v[0], "A") &&
		tape_str_is(o.set.many.v[2], "C\n"),
	    "by name");
	ok(o.set.by_name, "which is to be said");
	ok(o.set.runs[0].arm >= TAPE_COMPARE_ARMS, "no run has an arm yet");
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
		make_single(&m, id, i % 2 ? "B" : "A", 1, i < 2 ? "z" : "a",
		    i * 2 * MAKE_MS);
	}
	make_done(&m);
	outcome_load_any(&o, &m);
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
	make_single(&m, "1", a, TAPE_ABSENT_I64, NULL, 8 * MAKE_MS);
	make_single(&m, "2", a, TAPE_ABSENT_I64, NULL, 0);
	make_single(&m, "3", a, TAPE_ABSENT_I64, NULL, 16 * MAKE_MS);
	make_done(&m);
	outcome_load(o, &m.buf, TAPE_COMPARE_A);
	tape_buf_release(&m.buf);
	make_init(&m);
	make_single(&m, "4", b1, 5, NULL, 4 * MAKE_MS);
	make_single(&m, "5", b2, 6, NULL, 12 * MAKE_MS);
	make_single(&m, "6", b1, 7, NULL, 20 * MAKE_MS);
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
			int64_t at = (2 * i + (int64_t)arm) * 2 * MAKE_MS;

			make_run(&m, &r, at,
			    arm && i == which ? TAPE_ABSENT_I64 : at + MAKE_MS);
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

		make_small(&m, &r, i * 2 * MAKE_MS);
	}
	make_end(&m);
	make_done(&m);
	outcome_load_any(&o, &m);
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

int
main(void)
{
	test_outside_loop();
	test_doubled();
	test_names();
	test_three_arms();
	test_sessions();
	test_least_matched();
	test_files();
	test_unfinished_files();
	test_interlocked();
	test_endings();
	return done_testing();
}
