/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points of a sweep from sets of summaries; names of families. */
#include "engine/reduce_points_text.h"

#include "base/mem.h"
#include "engine/reduce_openmetrics.h"
#include "record/schema.h"
#include "unit/tap.h"

/* What a run's group comes to: so much throughput and latency. */
static void
fill(struct tape_summarize_set *set, const char *arm, double per_s,
    double latency_ns)
{
	memset(set, 0, sizeof(*set));
	for (int i = 0; i < TAPE_METRIC_COUNT; i++) {
		tape_schema_init(TAPE_KIND_SUMMARY, &set->summary[i]);
		set->summary[i].arm = tape_str_of(arm);
		set->summary[i].n = 0;
	}
	set->totals.ok = 10;
	set->totals.failed = 1;
	set->totals.sum[TAPE_SUM_ASKED_OUTPUT] = 640;
	set->totals.sum[TAPE_SUM_ASKED] = 10;
	set->summary[TAPE_METRIC_INPUT_TOKENS].mean = 130;
	set->summary[TAPE_METRIC_OUTPUT_TOKENS].mean = 62;
	set->summary[TAPE_METRIC_LATENCY].quantiles.p50 = latency_ns;
	set->summary[TAPE_METRIC_OUTPUT_TOKENS_PER_S].value = per_s;
}

static void
add(struct tape_points *p, const char *arm, const char *group, double per_s,
    double latency_ns)
{
	struct tape_summarize_set *set = tape_mem_calloc(1, sizeof(*set));
	struct tape_err err = { 0 };

	fill(set, arm, per_s, latency_ns);
	is_int(tape_points_add(p, tape_str_of(group), set, &err), TAPE_OK,
	    "a group of a run %s", err.text);
	tape_mem_free(set);
}

static void
test_points(void)
{
	struct tape_points p;
	struct tape_buf b;
	struct tape_err err = { 0 };

	is_int(tape_points_init(&p, "concurrency,isl", &err), TAPE_OK,
	    "by two labels");
	add(&p, NULL, "{\"concurrency\":16,\"isl\":128}", 440, 4e9);
	add(&p, NULL, "{\"concurrency\":2,\"isl\":128}", 200, 1e9);
	add(&p, NULL, "{\"concurrency\":4,\"isl\":128}", 400, 1e9);
	add(&p, NULL, "{\"concurrency\":8,\"isl\":128}", 430, 2e9);
	add(&p, NULL, "{\"concurrency\":8,\"isl\":64}", 430, 2e9);
	add(&p, NULL, "{\"concurrency\":8,\"isl\":128}", 410, 2.2e9);
	tape_points_finish(&p);
	is_int((int64_t)p.n, 5, "five points");
	ok(tape_str_is(p.v[0].label[0], "2") &&
		tape_str_is(p.v[2].label[1], "64") &&
		tape_str_is(p.v[4].label[0], "16"),
	    "in the order of their labels");
	ok(p.v[3].runs == 2 && p.v[3].ok == 20 && p.v[3].failed == 2,
	    "requests of two runs are added up");
	is_near(p.v[3].v[TAPE_POINT_TOKENS_PER_S], 420, 1e-12,
	    "their values are averaged");
	ok(!p.v[0].saturated && !p.v[1].saturated && p.v[3].saturated,
	    "saturated where throughput stays and latency grows");
	ok(!p.v[4].saturated, "the first one only");
	ok(!p.v[2].saturated, "of the same prompts only");
	is_near(p.v[0].v[TAPE_POINT_ASKED_IN], 128, 1e-12,
	    "the target is the label");
	ok(!tape_point_is_off(&p.v[0], true),
	    "the server counts 1.6 %% more: near");
	is_near(
	    p.v[0].v[TAPE_POINT_ASKED_OUT], 64, 1e-12, "or what was asked for");
	ok(tape_point_is_off(&p.v[0], false), "3.1 %% fewer: off");
	ok(isnan(p.v[0].v[TAPE_POINT_TTFT_P50]), "what is unknown is absent");
	tape_buf_init(&b, 1 << 16);
	tape_points_text(&p, false, &b);
	ok(strstr(b.data, "          8  128        -        -        -    2.100"
			  "        -    420.0 <\n") != NULL,
	    "a row with its mark");
	ok(strstr(b.data, "\n<: saturated: ") != NULL, "and what it means");
	tape_buf_clear(&b);
	tape_points_markdown(&p, &b);
	ok(strstr(b.data, "| 420.0 (saturated) |") != NULL,
	    "in Markdown it is a word");
	tape_buf_release(&b);
	tape_points_release(&p);
}

/* By hand: 100, 104 and 111 have the mean 105 and the sd 5.5678; t of 2 df is
   4.30265, so that half the interval is 13.831, 13.17 % of the mean. */
static void
test_halves(void)
{
	static const double per_s[] = { 100, 104, 111 };
	struct tape_points p;
	struct tape_run run;
	struct tape_buf b;
	struct tape_err err = { 0 };

	tape_schema_init(TAPE_KIND_RUN, &run);
	run.concurrency = 1;
	is_int(tape_points_init(&p, "isl", &err), TAPE_OK, "by isl");
	for (int i = 0; i < 3; i++) {
		is_int(tape_points_run(&p, &run, &err), TAPE_OK, "a run");
		add(&p, NULL, "{\"isl\":1}", per_s[i],
		    i < 2 ? 1e9 : TAPE_ABSENT_F64);
		run.concurrency = 1 + i; /* the third differs, of isl 2 */
		is_int(tape_points_run(&p, &run, &err), TAPE_OK, "another");
		add(&p, NULL, "{\"isl\":2}", per_s[i], 1e9);
		run.concurrency = 1;
	}
	is_int(tape_points_run(&p, NULL, &err), TAPE_OK, "unknown runs");
	add(&p, NULL, "{\"isl\":3}", 1, 1e9);
	add(&p, NULL, "{\"isl\":3}", 2, 1e9);
	is_int(tape_points_run(&p, &run, &err), TAPE_OK, "one run only");
	add(&p, NULL, "{\"isl\":4}", 1, 1e9);
	tape_points_finish(&p);
	is_near(p.v[0].half[TAPE_POINT_TOKENS_PER_S], 13.831, 1e-4,
	    "half the interval of the mean of three runs");
	is_near(tape_point_half_ratio(&p.v[0], TAPE_POINT_TOKENS_PER_S),
	    0.13172, 1e-4, "over the mean");
	ok(isnan(p.v[0].half[TAPE_POINT_LATENCY_P50]),
	    "none where a run lacks the value");
	for (size_t i = 1; i < 4; i++)
		ok(isnan(p.v[i].half[TAPE_POINT_TOKENS_PER_S]),
		    "none of other conditions, of unknown ones, of one: %zu",
		    i);
	tape_buf_init(&b, 1 << 16);
	tape_points_text(&p, false, &b);
	ok(strstr(b.data, "   105.00\n") != NULL &&
		strstr(b.data, "  +-13.2%\n") != NULL,
	    "under the mean");
	ok(strstr(b.data, "\n+-: 95 % interval") != NULL, "and what it is");
	tape_buf_clear(&b);
	tape_points_markdown(&p, &b);
	ok(strstr(b.data, "| 105.00 +-13.2% |") != NULL,
	    "beside it in Markdown");
	tape_buf_release(&b);
	tape_points_release(&p);
}

/* Steps of a load that is no doubling ask for less. */
static void
test_steps(void)
{
	struct tape_points p;
	struct tape_err err = { 0 };

	is_int(tape_points_init(&p, "rate_per_s", &err), TAPE_OK, "by rate");
	add(&p, "A", "{\"rate_per_s\":10}", 100, 1e9);
	add(&p, "A", "{\"rate_per_s\":12.5}", 104, 1.2e9);
	add(&p, "A", "{\"rate_per_s\":15}", 104, 1.0e9);
	add(&p, "B", "{\"rate_per_s\":20}", 50, 9e9);
	add(&p, "A", "{}", 1, 9e9);
	tape_points_finish(&p);
	ok(p.arms, "two arms");
	for (size_t i = 0; i < p.n; i++)
		ok(!p.v[i].saturated, "none is saturated: %zu", i);
	tape_points_release(&p);
	is_int(tape_points_init(&p, "isl,isl", &err), TAPE_E_USAGE,
	    "a label twice");
	tape_points_release(&p);
}

static void
test_no_memory(void)
{
	struct tape_summarize_set *set = tape_mem_calloc(1, sizeof(*set));
	struct tape_err err = { 0 };
	struct tape_points p;
	uint64_t n = 0;
	enum tape_status st;

	fill(set, "A", 1, 1);
	do {
		tape_err_clear(&err);
		(void)tape_mem_fail_at(++n);
		st = tape_points_init(&p, "isl", &err);
		if (st == TAPE_OK)
			st = tape_points_add(
			    &p, tape_str_of("{\"isl\":1}"), set, &err);
		(void)tape_mem_fail_at(0);
		tape_points_release(&p);
	} while (st == TAPE_E_NOMEM && n < 1000);
	is_int(st, TAPE_OK, "after %" PRIu64 " failing allocations", n - 1);
	ok(n > 2, "of which there are some");
	tape_mem_free(set);
}

static void
test_markdown(void)
{
	struct tape_buf b;

	tape_buf_init(&b, 1024);
	tape_markdown_text(&b, tape_str_of("a|b\n<img> `x` *y* [z](u) @me"));
	is_str(b.data, "a\\|b &lt;img&gt; \\`x\\` \\*y\\* \\[z\\](u) \\@me",
	    "nothing of a text is Markdown");
	tape_buf_release(&b);
}

/* A family's name is its own, ends in its unit, and in none of the suffixes
   that samples have. */
static void
test_names(void)
{
	static const char *const suffixes[] = { "_count", "_sum", "_bucket",
		"_total", "_created", "_info" };
	struct tape_openmetrics_name all[TAPE_METRIC_COUNT];
	bool fine = true;

	for (int i = 0; i < TAPE_METRIC_COUNT; i++) {
		const size_t n = strlen(tape_metric_table[i].name);

		tape_openmetrics_name(&tape_metric_table[i], &all[i]);
		for (int j = 0; j < i; j++)
			fine &= strcmp(all[i].name, all[j].name) != 0;
		for (size_t k = 0; k < 6; k++) {
			const size_t m = strlen(suffixes[k]);
			const size_t len = strlen(all[i].name);

			fine &= strcmp(all[i].name + len - m, suffixes[k]) != 0;
		}
		if (!fine)
			break;
		ok(n + 8 < TAPE_OPENMETRICS_NAME, "%s", all[i].name);
	}
	ok(fine, "names of families are distinct, and without suffix");
	is_str(all[TAPE_METRIC_TTFT].name, "llmtape_ttft_seconds", "a time");
	is_str(all[TAPE_METRIC_OUTPUT_TOKENS_PER_S].name,
	    "llmtape_output_tokens_per_second", "a rate");
	is_str(all[TAPE_METRIC_TOKENS_PER_S_PER_USER].name,
	    "llmtape_tokens_per_second_per_user", "a rate of one user");
}

int
main(void)
{
	test_points();
	test_halves();
	test_steps();
	test_no_memory();
	test_markdown();
	test_names();
	return done_testing();
}
