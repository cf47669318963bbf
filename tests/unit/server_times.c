/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What servers say of their time, as recorded from them (shortened). */
#include "api/server_times.h"

#include "unit/tap.h"

#define NONE TAPE_ABSENT_I64

static void
test_servers(void)
{
	static const struct {
		const char *server, *timing, *usage;
		struct tape_server_times t;
	} cases[] = {
		{ "llama.cpp",
		    "{\"timings\":{\"cache_n\":83,\"prompt_n\":1,\"prompt_ms\":"
		    "8.996,\"predicted_n\":57,\"predicted_ms\":484.01,"
		    "\"predicted_per_token_ms\":8.49}}",
		    "{\"completion_tokens\":57}",
		    { NONE, NONE, 8996000, 8996000, 484010000, 493006000 } },
		{ "Groq",
		    "{\"x_groq\":{\"id\":\"r\",\"usage\":{\"queue_time\":0.5,"
		    "\"prompt_time\":0.25,\"completion_time\":1,"
		    "\"total_time\":1.25}}}",
		    NULL,
		    { 500000000, NONE, 250000000, 750000000, 1000000000,
			1750000000 } },
		{ "Groq, in the usage", NULL,
		    "{\"queue_time\":0.5,\"prompt_tokens\":20,\"prompt_time\":"
		    "0.25,\"completion_time\":1,\"total_time\":1.25}",
		    { 500000000, NONE, 250000000, 750000000, 1000000000,
			1750000000 } },
		{ "Cerebras",
		    "{\"time_info\":{\"queue_time\":0.125,\"prompt_time\":0.25,"
		    "\"completion_time\":0.5,\"total_time\":1.5,\"created\":"
		    "1762103517.7}}",
		    NULL,
		    { 125000000, NONE, 250000000, 375000000, 500000000,
			1500000000 } },
		{ "Azure",
		    "{\"latency_checkpoint\":{\"engine_ttft_ms\":33,"
		    "\"pre_inference_ms\":152,\"service_ttft_ms\":230,"
		    "\"service_ttlt_ms\":2074,\"user_visible_ttft_ms\":78}}",
		    "{\"completion_tokens\":76}",
		    { NONE, NONE, NONE, 230000000, NONE, 2074000000 } },
		{ "GPUStack", NULL,
		    "{\"time_per_output_token_ms\":16.9,"
		    "\"time_to_first_token_ms\":38.631}",
		    { NONE, NONE, NONE, 38631000, NONE, NONE } },
		{ "Ollama",
		    "{\"durations\":{\"total_duration\":1897385625,"
		    "\"load_duration\":1631208,\"prompt_eval_duration\":"
		    "313560000,\"eval_duration\":1577990000}}",
		    "{\"eval_count\":50}",
		    { NONE, 1631208, 313560000, 315191208, 1577990000,
			1897385625 } },
		{ "watsonx: from the first event with tokens to the last",
		    "{\"created_at\":{\"first\":\"2025-03-01T12:00:00.250Z\","
		    "\"last\":\"2025-03-01T12:00:01.500Z\"}}",
		    "{\"completion_tokens\":50}",
		    { NONE, NONE, NONE, NONE, 1250000000, NONE } },
		{ "one time is no duration",
		    "{\"created_at\":{\"first\":\"2025-03-01T12:00:00Z\","
		    "\"last\":\"2025-03-01T12:00:00Z\"}}",
		    NULL, { NONE, NONE, NONE, NONE, NONE, NONE } },
		{ "SGLang",
		    "{\"meta_info\":{\"e2e_latency\":2,\"queue_time\":0.25}}",
		    NULL, { 250000000, NONE, NONE, NONE, NONE, 2000000000 } },
		{ "nothing", NULL, NULL,
		    { NONE, NONE, NONE, NONE, NONE, NONE } },
		{ "what is none of it",
		    "{\"timings\":{\"prompt_ms\":-1,\"predicted_ms\":1e30,"
		    "\"x\":{\"prompt_ms\":4}},\"prompt_ms\":5,\"usage\":"
		    "{\"y\":{\"queue_time\":1}},\"time_info\":[{\"queue_time\":"
		    "1}],\"ti\\u006de_info\":{\"queue_time\":1},"
		    "\"latency_checkpoint\":{\"service_ttft_ms\":\"4\"}}",
		    "{\"timings\":{\"prompt_ms\":4}}",
		    { NONE, NONE, NONE, NONE, NONE, NONE } },
		{ "no JSON", "{\"timings\":", "[1",
		    { NONE, NONE, NONE, NONE, NONE, NONE } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tape_server_times *want = &cases[i].t;
		struct tape_server_times t;

		tape_server_times_read(tape_str_of(cases[i].timing),
		    tape_str_of(cases[i].usage), &t);
		is_int(
		    t.queue_ns, want->queue_ns, "%s: queue", cases[i].server);
		is_int(t.load_ns, want->load_ns, "%s: load", cases[i].server);
		is_int(t.prefill_ns, want->prefill_ns, "%s: prefill",
		    cases[i].server);
		is_int(t.ttft_ns, want->ttft_ns, "%s: ttft", cases[i].server);
		is_int(t.decode_ns, want->decode_ns, "%s: decode",
		    cases[i].server);
		is_int(
		    t.total_ns, want->total_ns, "%s: total", cases[i].server);
	}
}

int
main(void)
{
	test_servers();
	return done_testing();
}
