/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of tokens under the names of many servers, and what came by kind. */
#include "api/api.h"

#include "base/err.h"
#include "unit/tap.h"

static struct tape_api_decoder d;
static struct tape_api_event ev;

static void
start(const char *name)
{
	printf("# %s\n", name);
	tape_api_decoder_clear(&d, tape_api_find(tape_str_of("chat")));
}

static void
feed(const char *data)
{
	struct tape_err err = { 0 };

	is_int(
	    tape_api_decode(&d, tape_str_of(""), tape_str_of(data), &ev, &err),
	    TAPE_OK, "decoded: %.60s", data);
	ok(!ev.malformed, "and understood");
}

#define NONE TAPE_ABSENT_I64

/* A usage object, and what it comes to. */
static void
test_names(void)
{
	static const struct {
		const char *server, *usage;
		struct tape_api_tokens t;
	} cases[] = {
		{ "OpenAI",
		    "{\"prompt_tokens\":20,\"completion_tokens\":9,"
		    "\"prompt_tokens_details\":{\"cached_tokens\":7,"
		    "\"audio_tokens\":3},\"completion_tokens_details\":{"
		    "\"reasoning_tokens\":4,\"audio_tokens\":2,"
		    "\"accepted_prediction_tokens\":6,"
		    "\"rejected_prediction_tokens\":5}}",
		    { 20, 9, 4, 7, NONE, 3, 2, 6, 5, 0, 0, 0, 0, 0, 0, 0, 0 } },
		{ "Responses: the input has what is cached in it",
		    "{\"input_tokens\":75,\"input_tokens_details\":{"
		    "\"cached_tokens\":64},\"output_tokens\":46,"
		    "\"output_tokens_details\":{\"reasoning_tokens\":20}}",
		    { 75, 46, 20, 64, NONE, NONE, NONE, NONE, NONE, 0, 0, 0, 0,
			0, 0, 0, 0 } },
		{ "Anthropic: it does not",
		    "{\"input_tokens\":16,\"cache_creation_input_tokens\":100,"
		    "\"cache_read_input_tokens\":1000,\"output_tokens\":38}",
		    { 1116, 38, NONE, 1000, 100, NONE, NONE, NONE, NONE, 0, 0,
			0, 0, 0, 0, 0, 0 } },
		{ "Databricks: prompt_tokens is all, whatever is beside it",
		    "{\"cache_read_input_tokens\":8,\"completion_tokens\":5,"
		    "\"prompt_tokens\":26,\"cache_creation_input_tokens\":2}",
		    { 26, 5, NONE, 8, 2, NONE, NONE, NONE, NONE, 0, 0, 0, 0, 0,
			0, 0, 0 } },
		{ "Bedrock",
		    "{\"inputTokens\":4,\"outputTokens\":5,"
		    "\"cacheReadInputTokens\":6,\"cacheWriteInputTokens\":0}",
		    { 10, 5, NONE, 6, 0, NONE, NONE, NONE, NONE, 0, 0, 0, 0, 0,
			0, 0, 0 } },
		{ "Gemini: thoughts are output",
		    "{\"promptTokenCount\":13,\"candidatesTokenCount\":30,"
		    "\"thoughtsTokenCount\":178,\"cachedContentTokenCount\":2,"
		    "\"promptTokensDetails\":[{\"modality\":\"TEXT\","
		    "\"tokenCount\":9},{\"tokenCount\":4,\"modality\":"
		    "\"AUDIO\"}],\"candidatesTokensDetails\":null}",
		    { 13, 208, 178, 2, NONE, 4, NONE, NONE, NONE, 0, 0, 0, 0, 0,
			0, 0, 0 } },
		{ "DeepSeek",
		    "{\"prompt_tokens\":21,\"completion_tokens\":27,"
		    "\"prompt_cache_hit_tokens\":3,"
		    "\"prompt_cache_miss_tokens\":18}",
		    { 21, 27, NONE, 3, NONE, NONE, NONE, NONE, NONE, 0, 0, 0, 0,
			0, 0, 0, 0 } },
		{ "Cohere: not what it bills",
		    "{\"billed_units\":{\"input_tokens\":7,"
		    "\"output_tokens\":21},\"tokens\":{\"input_tokens\":502,"
		    "\"output_tokens\":24}}",
		    { 502, 24, NONE, NONE, NONE, NONE, NONE, NONE, NONE, 0, 0,
			0, 0, 0, 0, 0, 0 } },
		{ "OpenRouter",
		    "{\"prompt_tokens\":15,\"completion_tokens\":9,"
		    "\"prompt_tokens_details\":{\"cached_tokens\":0,"
		    "\"cache_write_tokens\":12,\"audio_tokens\":0}}",
		    { 15, 9, NONE, 0, 12, 0, NONE, NONE, NONE, 0, 0, 0, 0, 0, 0,
			0, 0 } },
		{ "transcription, whose details are singular",
		    "{\"type\":\"tokens\",\"input_tokens\":37,"
		    "\"input_token_details\":{\"text_tokens\":0,"
		    "\"audio_tokens\":37},\"output_tokens\":12}",
		    { 37, 12, NONE, NONE, NONE, 37, NONE, NONE, NONE, 0, 0, 0,
			0, 0, 0, 0, 0 } },
		{ "null details and negative counts are none",
		    "{\"prompt_tokens\":31,\"completion_tokens\":-1,"
		    "\"prompt_tokens_details\":null,\"reasoning_tokens\":0,"
		    "\"cached_tokens\":\"4\"}",
		    { 31, NONE, 0, NONE, NONE, NONE, NONE, NONE, NONE, 0, 0, 0,
			0, 0, 0, 0, 0 } },
	};
	char data[1024];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tape_api_tokens *t = &cases[i].t;

		start(cases[i].server);
		(void)snprintf(data, sizeof(data),
		    "{\"choices\":[],\"usage\":%s}", cases[i].usage);
		feed(data);
		is_int(d.tokens.input, t->input, "input");
		is_int(d.tokens.output, t->output, "output");
		is_int(d.tokens.reasoning, t->reasoning, "reasoning");
		is_int(d.tokens.cached, t->cached, "cached");
		is_int(d.tokens.cache_write, t->cache_write, "cache_write");
		is_int(d.tokens.audio_input, t->audio_input, "audio_input");
		is_int(d.tokens.audio_output, t->audio_output, "audio_output");
		is_int(d.tokens.accepted, t->accepted, "accepted");
		is_int(d.tokens.rejected, t->rejected, "rejected");
		is_int(ev.out_tokens, t->output == NONE ? -1 : t->output,
		    "so many with this event");
	}
}

/* In a choice, and in the server's times. */
static void
test_elsewhere(void)
{
	start("Moonshot: a choice has it");
	feed(
	    "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\","
	    "\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":7}}]}");
	is_int(d.tokens.input, 5, "input");
	is_int(d.tokens.output, 7, "output");
	is_int(ev.out_tokens, 7, "with this event");

	start("llama.cpp: its times alone");
	feed("{\"choices\":[{\"index\":0,\"delta\":{}}],\"timings\":{"
	     "\"prompt_n\":2,\"cache_n\":3,\"predicted_n\":4}}");
	feed("{\"choices\":[{\"index\":1,\"delta\":{}}],\"timings\":{"
	     "\"prompt_n\":2,\"cache_n\":3,\"predicted_n\":6}}");
	is_int(d.tokens.input, 5, "input, what was cached included");
	is_int(d.tokens.cached, 3, "cached");
	is_int(d.tokens.output, 10, "output, of both choices");
	ok(!ev.has_usage && d.usage.len == 0, "which is no usage");

	start("llama.cpp: usage stands above them");
	feed("{\"choices\":[],\"usage\":{\"prompt_tokens\":50,"
	     "\"completion_tokens\":60},\"timings\":{\"prompt_n\":2,"
	     "\"cache_n\":3,\"predicted_n\":4}}");
	feed("{\"choices\":[],\"timings\":{\"prompt_n\":2,\"predicted_n\":9}}");
	is_int(d.tokens.input, 50, "input");
	is_int(d.tokens.output, 60, "output");
	is_int(d.tokens.cached, 3, "which only they have");

	start("times that count nothing");
	feed("{\"choices\":[],\"timings\":{\"prompt_n\":-2,\"predicted_n\":"
	     "\"9\",\"cache_n\":1e300}}");
	is_int(d.tokens.input, NONE, "no input");
	is_int(d.tokens.output, NONE, "no output");
	is_int(d.tokens.cached, NONE, "none cached");
}

static void
test_merged(void)
{
	start("counts of two events are one usage");
	feed("{\"choices\":[],\"usage\":{\"input_tokens\":16,"
	     "\"cache_read_input_tokens\":1000,\"output_tokens\":5}}");
	feed("{\"choices\":[],\"usage\":{\"output_tokens\":38}}");
	is_int(d.tokens.input, 1016, "input, from the first");
	is_int(d.tokens.output, 38, "output, from the last");
	feed("{\"choices\":[],\"usage\":{\"input_tokens\":null,"
	     "\"output_tokens\":null,\"cache_read_input_tokens\":null}}");
	is_int(d.tokens.input, 1016, "null changes nothing");
	is_int(d.tokens.cached, 1000, "nor here");

	start("a response is none of the next one's");
	feed("{\"choices\":[],\"usage\":{\"output_tokens\":3}}");
	is_int(d.tokens.input, NONE, "input is not that of before");
	is_int(d.tokens.cached, NONE, "nor cached");
}

static void
test_kinds(void)
{
	start("kinds are kept apart");
	feed("{\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\"abc\"}}]}");
	feed("{\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\"d\","
	     "\"content\":\"ef\"}}]}");
	feed("{\"choices\":[{\"index\":0,\"delta\":{\"refusal\":\"no\"}}]}");
	feed("{\"choices\":[{\"index\":0,\"delta\":{\"audio\":{\"data\":"
	     "\"QUJD\"}}}]}");
	feed("{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"id\":"
	     "\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}");
	is_int(d.kind_events[TAPE_API_CONTENT], 1, "content events");
	is_int(d.kind_bytes[TAPE_API_CONTENT], 2, "content bytes");
	is_int(d.kind_events[TAPE_API_REASONING], 2,
	    "reasoning beside content counts, too");
	is_int(d.kind_bytes[TAPE_API_REASONING], 4, "its bytes");
	is_int(d.kind_events[TAPE_API_REFUSAL], 1, "refusal events");
	is_int(d.kind_bytes[TAPE_API_REFUSAL], 2, "refusal bytes");
	is_int(d.kind_events[TAPE_API_AUDIO], 1, "audio events");
	is_int(d.kind_bytes[TAPE_API_AUDIO], 4, "audio bytes");
	is_int(d.kind_events[TAPE_API_TOOL], 1, "tool events");
	is_int(d.kind_bytes[TAPE_API_TOOL], 3, "tool bytes");
	is_int(d.tool_calls, 1, "tool calls");
	is_int(d.token_events, 5, "token events");
}

static void
test_choices(void)
{
	start("an event of two choices counts for each");
	feed("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}},"
	     "{\"index\":1,\"delta\":{\"reasoning\":\"b\"}},"
	     "{\"index\":2,\"delta\":{}}]}");
	feed("{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"c\"}}]}");
	is_int(d.token_events, 2, "two events");
	is_int(d.choice_events, 3, "three of their choices");
	is_int(d.choices, 3, "three choices");
}

int
main(void)
{
	tape_api_decoder_init(&d, tape_api_find(tape_str_of("chat")), false);
	test_names();
	test_elsewhere();
	test_merged();
	test_kinds();
	test_choices();
	tape_api_decoder_release(&d);
	return done_testing();
}
