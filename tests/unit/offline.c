/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine's profile: what is taken of it, and what is refused where. */
#include "engine/offline.h"

#include "unit/tap.h"

static struct tape_offline off;
static struct tape_err err;

static enum tape_status
parse(const char *text)
{
	tape_err_clear(&err);
	return tape_offline_parse(&off, tape_str_of(text), "p.json", &err);
}

static void
refused(const char *text, uint64_t line, const char *why)
{
	is_int(parse(text), TAPE_E_FORMAT, "refused: %s", text);
	is_int(err.line, line, "in that line");
	ok(strstr(err.text, why) != NULL, "since %s (%s)", why, err.text);
	is_str(err.name, "p.json", "of that file");
}

static void
test_plain(void)
{
	is_int(parse("{\n\"prefill\": {\"total_runs\": 3, \"reused_tokens\": 0,"
		     "\n\"computed_tokens\": 96, \"tokens_per_second\": 1.5e3,"
		     "\"average_time_per_token_ms\": null},\n"
		     "\"generation\": {\"total_runs\": 3,"
		     "\"generated_tokens\": 60, \"tokens_per_second\": 50},"
		     "\"stages\": [{\"stage_id\": \"llm_prefill\"}],"
		     "\"something_new\": {\"total_runs\": \"x\"}}"),
	    TAPE_OK, "a profile");
	is_int(off.prefill.runs, 3, "batches");
	is_int(off.prefill.reused_tokens, 0, "reused");
	is_int(off.prefill.computed_tokens, 96, "computed");
	is_int(off.prefill.pruned_tokens, TAPE_ABSENT_I64, "pruned: unknown");
	is_near(off.prefill.tokens_per_s, 1500, 0, "a second");
	is_int(off.plain.generated_tokens, 60, "generated");
	is_near(off.plain.tokens_per_s, 50, 0, "a second");
	is_int(off.draft.runs, TAPE_ABSENT_I64, "no speculation");
	ok(off.draft_name == NULL, "which has no name");
	is_int(off.peak_gpu_bytes, TAPE_ABSENT_I64, "no memory");
}

static void
test_draft(void)
{
	is_int(parse("{\"mtp_generation\":{\"total_runs\":2,"
		     "\"total_iterations\":20,\"total_generated_tokens\":50,"
		     "\"average_accept_length\":2.5,\"acceptance_rate\":0.5,"
		     "\"overall_tokens_per_second_excluding_base_prefill\":"
		     "99.5},\"peak_gpu_memory_bytes\":5000000000}"),
	    TAPE_OK, "a profile with speculation");
	is_str(off.draft_name, "mtp_generation", "its name");
	is_int(off.draft.iterations, 20, "iterations");
	is_int(off.draft.generated_tokens, 50, "generated");
	is_near(off.draft.accept_length, 2.5, 0, "length");
	is_near(off.draft.accept_ratio, 0.5, 0, "ratio");
	is_near(off.draft.tokens_per_s, 99.5, 0, "a second");
	is_int(off.prefill.runs, TAPE_ABSENT_I64, "no prefill");
	is_int(off.peak_gpu_bytes, INT64_C(5000000000), "memory");
	is_int(parse("{\"generation\":{\"total_runs\":1,\"generated_tokens\":"
		     "4,\"tokens_per_second\":null}}"),
	    TAPE_OK, "a rate that is not finite is null");
	ok(isnan(off.plain.tokens_per_s), "and unknown");
}

static void
test_refused(void)
{
	refused("", 1, "text ends too early");
	refused("[]", 1, "array");
	refused("{\n\n\"prefill\": {\"total_runs\": 1,\n}}", 4, "bad JSON");
	refused("{\"prefill\": {}}\n{}", 2, "bad JSON");
	refused("{\n\"prefill\": 3}", 2, "\"prefill\" is no object");
	refused("{\"prefill\": {\n\"total_runs\": 1.5}}", 2,
	    "\"total_runs\" is no whole number");
	refused("{\"generation\": {\"total_runs\": 1,\n\n"
		"\"tokens_per_second\": \"9\"}}",
	    3, "\"tokens_per_second\" is no number");
	refused("{\"generation\": {\n\"generated_tokens\": -1}}", 2, "below 0");
	refused("{\"peak_gpu_memory_bytes\": true}", 1, "no whole number");
	refused("{\"mtp_generation\": {},\n\"eagle_generation\": {}}", 2,
	    "second phase");
	refused("{\"prefill\": {}, \"prefill\": {}}", 1, "bad JSON");
	refused("{\"stages\": []}", 0, "no profile of llm_inference");
	tape_err_clear(&err);
	is_int(tape_offline_read(&off, "/nonexistent", &err), TAPE_E_IO,
	    "no such file");
}

int
main(void)
{
	test_plain();
	test_draft();
	test_refused();
	return done_testing();
}
