/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bedrock: the events of Converse, chunks of models' own APIs, bodies. */
#include "api/api.h"
#include "base/b64.h"
#include "base/mem.h"
#include "unit/tap.h"

static struct tape_err err;
static struct tape_api_decoder d;
static struct tape_api_event ev;
static struct tape_buf chunk;

static void
start(const char *name)
{
	printf("# %s\n", name);
	tape_err_clear(&err);
	tape_api_decoder_clear(&d, tape_api_find(tape_str_of("bedrock")));
}

/* Decodes an event and looks at its class and its text, or what it says. */
static void
gives(const char *type, const char *data, char class, const char *text)
{
	char got[2] = { 0 }, want[2] = { class, '\0' };
	struct tape_str said;

	is_int(tape_api_decode(
		   &d, tape_str_of(type), tape_str_of(data), &ev, &err),
	    TAPE_OK, "%s: %.60s", type, data);
	got[0] = ev.class;
	is_str(got, want, "its class");
	said = ev.text.p != NULL    ? ev.text
	       : ev.error.p != NULL ? ev.error
				    : ev.finish;
	if (said.p == NULL)
		said = tape_str_make("", 0);
	ok(tape_str_is(said, text), "says %s (%.*s)", text, (int)said.len,
	    said.p);
}

/* The same of what a model's own API sends. */
static void
chunk_gives(const char *inner, char class, const char *text)
{
	tape_buf_clear(&chunk);
	(void)tape_buf_add_str(&chunk, "{\"bytes\":\"");
	(void)tape_b64_encode(&chunk, inner, strlen(inner));
	(void)tape_buf_add_str(&chunk, "\",\"p\":\"abcdef\"}");
	gives("chunk", chunk.data, class, text);
}

static void
finish_is(const char *want)
{
	const struct tape_str got = tape_api_finish(&d, 0);

	ok(got.p != NULL && tape_str_is(got, want), "finish %s", want);
}

static void
test_converse(void)
{
	start("events of Converse");
	gives("messageStart", "{\"role\":\"assistant\",\"p\":\"ab\"}", 'r', "");
	gives("contentBlockDelta",
	    "{\"contentBlockIndex\":0,\"delta\":{\"reasoningContent\":"
	    "{\"text\":\"Hmm\"}},\"p\":\"abc\"}",
	    'g', "Hmm");
	gives("contentBlockDelta",
	    "{\"contentBlockIndex\":0,\"delta\":{\"reasoningContent\":"
	    "{\"signature\":\"c2ln\"}}}",
	    'r', "");
	gives("contentBlockStop", "{\"contentBlockIndex\":0}", 'o', "");
	gives("contentBlockDelta",
	    "{\"contentBlockIndex\":1,\"delta\":{\"text\":\"Hi\"}}", 'c', "Hi");
	gives("contentBlockDelta", "{\"delta\":{\"text\":\"\"}}", 'r', "");
	gives("contentBlockStart",
	    "{\"contentBlockIndex\":2,\"start\":{\"toolUse\":{\"toolUseId\":"
	    "\"t1\",\"name\":\"get\"}}}",
	    't', "get");
	gives("contentBlockDelta",
	    "{\"contentBlockIndex\":2,\"delta\":{\"toolUse\":{\"input\":"
	    "\"{\\\"a\\\"\"}}}",
	    't', "{\"a\"");
	gives("messageStop", "{\"stopReason\":\"tool_use\"}", 'f', "tool_use");
	gives("metadata",
	    "{\"usage\":{\"inputTokens\":10,\"outputTokens\":21,"
	    "\"totalTokens\":31,\"cacheReadInputTokens\":5},"
	    "\"metrics\":{\"latencyMs\":481}}",
	    'u', "");
	is_int(d.token_events, 4, "events with tokens");
	is_int(d.tool_calls, 1, "a tool call");
	is_int(d.tokens.input, 15, "input, with what came from the cache");
	is_int(d.tokens.output, 21, "output");
	is_int(d.tokens.cached, 5, "cached");
	is_int(d.malformed, 0, "nothing malformed");
	ok(!d.failed, "no failure");
	finish_is("tool_use");
}

static void
test_errors(void)
{
	start("exceptions");
	gives("contentBlockDelta", "{\"delta\":{\"text\":\"Hi\"}}", 'c', "Hi");
	gives("modelStreamErrorException", "{\"message\":\"it broke\"}", 'e',
	    "modelStreamErrorException: it broke");
	ok(d.failed, "it has failed");
	gives("throttlingException", "", 'e', "throttlingException");
	gives("validationException", "no JSON", 'e',
	    "validationException: no JSON");
	gives("contentBlockDelta", "", 'o', "");
	is_int(d.malformed, 0, "an event of nothing is not malformed");
	gives("contentBlockDelta", "{\"delta\":", 'o', "");
	gives("contentBlockDelta", "[]", 'o', "");
	gives("chunk", "{\"bytes\":\"no base64!\"}", 'o', "");
	chunk_gives("{\"type\":", 'o', "");
	is_int(d.malformed, 4, "these are");
}

static void
test_anthropic(void)
{
	start("chunks of Claude");
	chunk_gives("{\"type\":\"message_start\",\"message\":{\"content\":[],"
		    "\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}",
	    'u', "");
	for (int i = 0; i < 3; i++)
		chunk_gives(
		    "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
		    "{\"type\":\"text_delta\",\"text\":\"Hello\"}}",
		    'c', "Hello");
	chunk_gives("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
		    "\"end_turn\"},\"usage\":{\"output_tokens\":7}}",
	    'f', "end_turn");
	chunk_gives("{\"type\":\"message_stop\","
		    "\"amazon-bedrock-invocationMetrics\":{"
		    "\"inputTokenCount\":9,\"outputTokenCount\":7,"
		    "\"invocationLatency\":300,\"firstByteLatency\":100}}",
	    'd', "");
	is_int(d.token_events, 3, "events with tokens");
	is_int(d.tokens.input, 9, "input");
	is_int(d.tokens.output, 7, "output");
	ok(d.done, "its end mark");
	is_int(d.malformed, 0, "nothing malformed");
	finish_is("end_turn");
	is_int((int)d.text.len, 15, "its text");
}

static void
test_models(void)
{
	start("chunks of Llama");
	chunk_gives("{\"generation\":\"Hi\",\"prompt_token_count\":12,"
		    "\"generation_token_count\":1,\"stop_reason\":null}",
	    'c', "Hi");
	chunk_gives("{\"generation\":\"\",\"prompt_token_count\":null,"
		    "\"generation_token_count\":2,\"stop_reason\":\"stop\","
		    "\"amazon-bedrock-invocationMetrics\":{"
		    "\"inputTokenCount\":12,\"outputTokenCount\":2}}",
	    'f', "stop");
	is_int(d.tokens.input, 12, "input");
	is_int(d.tokens.output, 2, "output");
	finish_is("stop");

	start("chunks of Titan");
	chunk_gives("{\"outputText\":\"Hi\",\"index\":0,"
		    "\"totalOutputTextTokenCount\":3,"
		    "\"completionReason\":\"FINISH\","
		    "\"inputTextTokenCount\":4}",
	    'c', "Hi");
	is_int(d.tokens.input, 4, "input");
	is_int(d.tokens.output, 3, "output");
	finish_is("FINISH");

	start("chunks of Mistral");
	chunk_gives("{\"outputs\":[{\"text\":\"Hi\",\"stop_reason\":null}]}",
	    'c', "Hi");
	chunk_gives(
	    "{\"outputs\":[{\"text\":\"\",\"stop_reason\":\"length\"}]}", 'f',
	    "length");

	start("chunks of Nova");
	chunk_gives("{\"messageStart\":{\"role\":\"assistant\"}}", 'r', "");
	chunk_gives("{\"contentBlockDelta\":{\"delta\":{\"text\":\"Hi\"},"
		    "\"contentBlockIndex\":0}}",
	    'c', "Hi");
	chunk_gives(
	    "{\"messageStop\":{\"stopReason\":\"end_turn\"}}", 'f', "end_turn");
	chunk_gives("{\"metadata\":{\"usage\":{\"inputTokens\":2,"
		    "\"outputTokens\":1}}}",
	    'u', "");
	is_int(d.tokens.output, 1, "output");
	is_int(d.malformed, 0, "nothing malformed");
}

static void
body_gives(const char *body, char class, const char *finish, int64_t output)
{
	char got[2] = { 0 }, want[2] = { class, '\0' };

	start(body);
	is_int(tape_api_decode_body(&d, tape_str_of(body), &ev, &err), TAPE_OK,
	    "a body");
	got[0] = ev.class;
	is_str(got, want, "its class");
	is_int(d.tokens.output, output, "output");
	if (finish != NULL)
		finish_is(finish);
}

static void
test_bodies(void)
{
	body_gives(
	    "{\"output\":{\"message\":{\"role\":\"assistant\",\"content\":["
	    "{\"reasoningContent\":{\"reasoningText\":{\"text\":\"Hmm\"}}},"
	    "{\"text\":\"Hi\"},{\"toolUse\":{\"toolUseId\":\"t\",\"name\":"
	    "\"f\",\"input\":{\"a\":1}}}]}},\"stopReason\":\"end_turn\","
	    "\"usage\":{\"inputTokens\":3,\"outputTokens\":2}}",
	    'c', "end_turn", 2);
	is_int(ev.bytes[TAPE_API_REASONING], 3, "reasoning");
	is_int(ev.bytes[TAPE_API_TOOL], 8, "name and input of a tool");
	body_gives("{\"type\":\"message\",\"content\":[{\"type\":\"text\","
		   "\"text\":\"Hi\"}],\"stop_reason\":\"end_turn\","
		   "\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}",
	    'c', "end_turn", 4);
	body_gives("{\"generation\":\"Hi\",\"prompt_token_count\":5,"
		   "\"generation_token_count\":6,\"stop_reason\":\"stop\"}",
	    'c', "stop", 6);
	body_gives("{\"message\":\"The security token is invalid\"}", 'e', NULL,
	    TAPE_ABSENT_I64);
	ok(tape_str_is(ev.error, "The security token is invalid"),
	    "an error of AWS says why");
}

/* Bodies cannot be made, but verbatim ones go through. */
static void
test_render(void)
{
	const struct tape_api *api = tape_api_find(tape_str_of("bedrock"));
	struct tape_input in = { .text = { "Hi", 2 } };
	struct tape_api_ask ask = { .input = &in,
		.model = { "us.amazon.nova-lite-v1:0", 24 },
		.stream = true,
		.output_tokens = TAPE_ABSENT_I64 };
	struct tape_buf out;
	bool own;

	tape_err_clear(&err);
	tape_buf_init(&out, 4096);
	is_int(tape_api_render(api, &ask, &out, &err), TAPE_E_USAGE,
	    "no body is made");
	is_str(err.text,
	    "--api bedrock makes no request bodies: give a trace with "
	    "verbatim ones",
	    "and why");
	tape_err_clear(&err);
	in = (struct tape_input){ .body = { "{\"a\":1}", 7 } };
	is_int(tape_api_render(api, &ask, &out, &err), TAPE_OK, "verbatim");
	is_str(out.data, "{\"a\":1}", "as it is");
	tape_buf_clear(&out);
	is_int(tape_api_path(api, &ask, &out, &own, &err), TAPE_OK, "its path");
	is_str(out.data, "/model/us.amazon.nova-lite-v1%3A0/converse-stream",
	    "has the model");
	tape_buf_release(&out);
}

/* Every allocation fails once. */
static void
test_memory(void)
{
	static const char inner[] =
	    "{\"outputs\":[{\"text\":\"Hi\",\"stop_reason\":\"stop\"}],"
	    "\"amazon-bedrock-invocationMetrics\":{\"inputTokenCount\":12}}";
	struct tape_buf data;
	int failed = 0;
	bool good = true;

	tape_buf_init(&data, 4096);
	(void)tape_buf_add_str(&data, "{\"bytes\":\"");
	(void)tape_b64_encode(&data, inner, strlen(inner));
	(void)tape_buf_add_str(&data, "\"}");
	for (uint64_t n = 1; n < 100; n++) {
		struct tape_api_decoder one;
		struct tape_str type = tape_str_of("chunk");
		enum tape_status st;

		tape_api_decoder_init(
		    &one, tape_api_find(tape_str_of("bedrock")), true);
		tape_err_clear(&err);
		(void)tape_mem_fail_at(n);
		st = tape_api_decode(
		    &one, type, tape_str_make(data.data, data.len), &ev, &err);
		(void)tape_mem_fail_at(0);
		failed += st == TAPE_E_NOMEM;
		good = good && (st == TAPE_OK || st == TAPE_E_NOMEM);
		tape_api_decoder_release(&one);
		if (st == TAPE_OK)
			break;
	}
	ok(good && failed > 5, "out of memory %d times", failed);
	tape_buf_release(&data);
}

int
main(void)
{
	tape_buf_init(&chunk, 65536);
	tape_api_decoder_init(&d, tape_api_at(0), true);
	test_converse();
	test_errors();
	test_anthropic();
	test_models();
	test_bodies();
	test_render();
	test_memory();
	tape_api_decoder_release(&d);
	tape_buf_release(&chunk);
	return done_testing();
}
