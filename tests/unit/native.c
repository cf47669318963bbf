/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine's profile beside a run: agreement, speeds, acceptance. */
#include "engine/native.h"

#include "record/schema.h"
#include "unit/tap.h"

static struct tape_summarize_set all;
static struct tape_observe_set seen;
static struct tape_offline off;
static struct tape_run start;
static struct tape_summarize_run run;
static struct tape_engine e;

static void
set(int metric, int64_t n, double mean)
{
	all.summary[metric].n = n;
	all.summary[metric].mean = mean;
}

/* 10 requests of 100 and 20 tokens; ttft 50 ms, ITL 15.82 ms. */
static void
fresh(void)
{
	static const char text[] =
	    "{\"prefill\":{\"total_runs\":10,\"reused_tokens\":300,"
	    "\"computed_tokens\":700,\"tokens_per_second\":2500},"
	    "\"generation\":{\"total_runs\":10,\"generated_tokens\":190,"
	    "\"tokens_per_second\":65}}";
	struct tape_err err = { 0 };

	memset(&all, 0, sizeof(all));
	for (int i = 0; i < TAPE_METRIC_COUNT; i++)
		tape_schema_init(TAPE_KIND_SUMMARY, &all.summary[i]);
	all.totals.ok = 10;
	set(TAPE_METRIC_INPUT_TOKENS, 10, 100);
	set(TAPE_METRIC_OUTPUT_TOKENS, 10, 20);
	set(TAPE_METRIC_TTFT, 10, 50e6);
	set(TAPE_METRIC_TPOT, 10, 15.82e6);
	set(TAPE_METRIC_ACCEPTED_TOKENS, 0, TAPE_ABSENT_F64);
	set(TAPE_METRIC_REJECTED_TOKENS, 0, TAPE_ABSENT_F64);
	memset(&seen, 0, sizeof(seen));
	tape_schema_init(TAPE_KIND_RUN, &start);
	start.concurrency = 1;
	run = (struct tape_summarize_run){
		.run = 4, .round = TAPE_ABSENT_I64, .position = TAPE_ABSENT_I64
	};
	is_int(tape_offline_parse(&off, tape_str_of(text), "p", &err), TAPE_OK,
	    "a profile");
}

static bool
make(bool profile)
{
	const struct tape_native_run about = { .run = &run,
		.all = &all,
		.start = &start,
		.offline = profile ? &off : NULL,
		.observed = &seen };

	return tape_native_make(&e, &about);
}

static void
test_agree(void)
{
	struct tape_native_agree a;

	fresh();
	ok(make(true), "something is said");
	a = tape_native_agree(&e);
	ok(a.known && a.prompt && a.output && a.runs, "all agree");
	ok(a.without_first, "without first tokens");
	is_int(e.prefill_tokens, 1000, "prompt tokens");
	is_near(e.decode_tokens_per_s, 65, 1e-12, "the engine's speed");
	is_near(e.client_decode_tokens_per_s, 63.21, 1e-4, "15.82 ms a token");
	is_near(e.client_prefill_tokens_per_s, 2000, 1e-12, "100 in 50 ms");
	off.plain.generated_tokens = 200;
	ok(make(true), "first tokens are in it");
	a = tape_native_agree(&e);
	ok(a.output && !a.without_first, "agrees, too");
	is_near(e.decode_tokens_per_s, 65 * 190.0 / 200, 1e-12,
	    "and are not counted as decoded");
	off.plain.generated_tokens = 195;
	ok(make(true) && !tape_native_agree(&e).output, "neither of both");
	off.prefill.pruned_tokens = 1;
	ok(make(true) && !tape_native_agree(&e).prompt, "one token more");
	off.prefill.runs = 11;
	ok(make(true) && !tape_native_agree(&e).runs, "more batches");
	set(TAPE_METRIC_INPUT_TOKENS, 9, 100);
	ok(make(true) && !tape_native_agree(&e).known, "one without usage");
	is_int(e.client_input_tokens, TAPE_ABSENT_I64, "is no sum");
	fresh();
	start.concurrency = 2;
	ok(make(true) && isnan(e.client_decode_tokens_per_s) &&
		isnan(e.client_prefill_tokens_per_s),
	    "no client's speed beyond concurrency 1");
	fresh();
	off.plain.generated_tokens = off.plain.runs = TAPE_ABSENT_I64;
	set(TAPE_METRIC_OUTPUT_TOKENS, 10, 1);
	ok(make(true) && tape_native_agree(&e).output,
	    "one token an answer: nothing was generated");
}

static void
observe(struct tape_observed *o, const char *role, double increase)
{
	tape_schema_init(TAPE_KIND_TELEMETRY, o);
	o->role = tape_str_of(role);
	o->increase = increase;
	seen.v = seen.v == NULL ? o : seen.v;
	seen.n++;
}

static void
test_acceptance(void)
{
	struct tape_observed rows[3];

	fresh();
	ok(!make(false), "no profile and no counter: nothing");
	ok(make(true), "a profile without speculation");
	ok(tape_str_is(e.acceptance, "not-measured") &&
		isnan(e.acceptance_ratio) && isnan(e.acceptance_length_tokens),
	    "measures no acceptance");
	observe(&rows[0], "accepted", 60);
	observe(&rows[1], "drafted", 100);
	ok(make(false), "the server's metrics");
	ok(tape_str_is(e.acceptance, "server"), "say so");
	is_near(e.acceptance_ratio, 0.6, 1e-12, "the ratio");
	ok(isnan(e.acceptance_length_tokens), "not the length");
	observe(&rows[2], "drafts", 20);
	ok(make(false), "with drafts");
	is_near(e.acceptance_length_tokens, 4, 1e-12, "3 and its own");
	set(TAPE_METRIC_ACCEPTED_TOKENS, 10, 3);
	set(TAPE_METRIC_REJECTED_TOKENS, 10, 1);
	ok(make(false) && tape_str_is(e.acceptance, "response"),
	    "counters in answers go before");
	is_int(e.accepted_tokens, 30, "accepted");
	is_int(e.drafted_tokens, 40, "of these");
	is_near(e.acceptance_ratio, 0.75, 1e-12, "their ratio");
	off.draft_name = "eagle_generation";
	off.draft.accept_ratio = 0.4;
	off.draft.accept_length = 2.1;
	ok(make(true) && tape_str_is(e.acceptance, "profile"),
	    "and the profile before these");
	is_near(e.acceptance_ratio, 0.4, 0, "its ratio");
	is_near(e.acceptance_length_tokens, 2.1, 0, "and length");
	rows[1].increase = 0;
	set(TAPE_METRIC_ACCEPTED_TOKENS, 10, 0);
	set(TAPE_METRIC_REJECTED_TOKENS, 10, 0);
	ok(!make(false), "nothing drafted is nothing measured");
}

int
main(void)
{
	test_agree();
	test_acceptance();
	return done_testing();
}
