/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events of the dialects whose types have names: one by one, each by a fresh
 * decoder, with what it has to say of them.
 */
#include "api/api.h"
#include "base/mem.h"
#include "unit/tap.h"

static const struct {
	const char *api;
	const char *type; /* of SSE; NULL: a whole body */
	const char *data;
	char class;
	int64_t bytes;
	const char *finish, *error;
} events[] = {
	/* messages */
	{ "messages", "",
	    "{\"type\":\"message_start\",\"message\":{\"content\":[]}}", 'r', 0,
	    NULL, NULL },
	{ "messages", "",
	    "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":"
	    "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"get\",\"input\":"
	    "{}}}",
	    't', 3, NULL, NULL },
	{ "messages", "",
	    "{\"delta\":{\"text\":\"caf\xc3\xa9\",\"type\":\"text_delta\"},"
	    "\"type\":\"content_block_delta\"}  ",
	    'c', 5, NULL, NULL },
	{ "messages", "",
	    "{\"type\":\"content_block_delta\",\"delta\":{\"type\":"
	    "\"signature_delta\",\"signature\":\"EtY\"}}",
	    'r', 0, NULL, NULL },
	{ "messages", "ping", "{\"type\": \"ping\"}", 'o', 0, NULL, NULL },
	{ "messages", "",
	    "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
	    "\"max_tokens\"},\"usage\":{\"output_tokens\":9}}",
	    'f', 0, "max_tokens", NULL },
	{ "messages", "message_stop", "{\"type\":\"message_stop\"}", 'd', 0,
	    NULL, NULL },
	{ "messages", "error",
	    "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
	    "\"message\":\"Overloaded\"}  }",
	    'e', 0, NULL, "Overloaded" },
	{ "messages", "", "{\"type\":\"error\",\"error\":{\"message\":\"m\"}}",
	    'e', 0, NULL, "m" },
	{ "messages", "error", "busy", 'e', 0, NULL, "busy" },
	{ "messages", NULL,
	    "{\"type\":\"error\",\"error\":{\"message\":\"no\"}}", 'e', 0, NULL,
	    "no" },
	{ "messages", NULL,
	    "{\"content\":[{\"type\":\"thinking\",\"thinking\":\"hmm\","
	    "\"signature\":\"s\"},{\"type\":\"text\",\"text\":\"Hi\"},"
	    "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":"
	    "{\"a\":1}}],\"stop_reason\":\"tool_use\"}",
	    'c', 2, "tool_use", NULL },
	/* responses */
	{ "responses", "response.created",
	    "{\"type\":\"response.created\",\"response\":{\"status\":"
	    "\"in_progress\",\"error\":null,\"usage\":null}}",
	    'o', 0, NULL, NULL },
	{ "responses", "",
	    "{\"type\":\"response.output_text.delta\",\"delta\":\"Hi\"}", 'c',
	    2, NULL, NULL },
	{ "responses", "",
	    "{\"delta\":\"Hi\",\"type\":\"response.refusal.delta\"}", 'x', 2,
	    NULL, NULL },
	{ "responses", "",
	    "{\"type\":\"response.audio.delta\",\"delta\":\"AAAA\"}", 'a', 4,
	    NULL, NULL },
	{ "responses", "",
	    "{\"type\":\"response.output_text.done\",\"text\":\"Hi\"}", 'o', 0,
	    NULL, NULL },
	{ "responses", "",
	    "{\"type\":\"response.output_item.done\",\"item\":{\"content\":"
	    "[{\"text\":\"Hi\"}],\"name\":\"f\"}}",
	    'o', 0, NULL, NULL },
	{ "responses", "",
	    "{\"type\":\"response.output_item.added\",\"item\":{\"type\":"
	    "\"function_call\",\"name\":\"get\",\"arguments\":\"\"}}",
	    't', 3, NULL, NULL },
	{ "responses", "",
	    "{\"type\":\"response.completed\",\"response\":{\"status\":"
	    "\"completed\",\"output\":[{\"content\":[{\"text\":\"Hi\"}]}],"
	    "\"usage\":{\"output_tokens\":2}}}",
	    'd', 0, "completed", NULL },
	{ "responses", "",
	    "{\"type\":\"response.incomplete\",\"response\":{\"status\":"
	    "\"incomplete\",\"incomplete_details\":{\"reason\":"
	    "\"max_output_tokens\"}}}",
	    'd', 0, "max_output_tokens", NULL },
	{ "responses", "",
	    "{\"type\":\"response.failed\",\"response\":{\"status\":"
	    "\"failed\",\"error\":{\"code\":\"server_error\",\"message\":"
	    "\"m\"}}}",
	    'e', 0, "failed", "m" },
	{ "responses", "",
	    "{\"type\":\"response.failed\",\"response\":{\"status\":"
	    "\"failed\",\"error\":null}}",
	    'e', 0, "failed", "failed" },
	{ "responses", "error",
	    "{\"type\":\"error\",\"code\":\"c\",\"message\":\"m\"}", 'e', 0,
	    NULL, "m" },
	{ "responses", "", "{\"type\":\"error\",\"error\":{\"message\":\"m\"}}",
	    'e', 0, NULL, "m" },
	{ "responses", "", "{\"error\":{\"message\":\"m\",\"code\":500}}", 'e',
	    0, NULL, "m" },
	{ "responses", "error", "", 'e', 0, NULL, "" },
	{ "responses", NULL,
	    "{\"status\":\"completed\",\"output\":[{\"type\":\"reasoning\","
	    "\"summary\":[{\"text\":\"abc\"}]},{\"type\":\"function_call\","
	    "\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"}]}",
	    'g', 3, "completed", NULL },
	/* gemini */
	{ "gemini", "",
	    "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi\"},"
	    "{\"text\":\" you\"}]},\"finishReason\":\"MAX_TOKENS\"}]}",
	    'c', 6, "MAX_TOKENS", NULL },
	{ "gemini", "",
	    "{\"candidates\":[{\"content\":{\"parts\":[{\"thought\":true,"
	    "\"text\":\"hm\"}]},\"index\":3}]}",
	    'g', 2, NULL, NULL },
	{ "gemini", "",
	    "{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":"
	    "{\"name\":\"f\",\"args\":{\"a\":1}}}]}}]}",
	    't', 8, NULL, NULL },
	{ "gemini", "",
	    "{\"candidates\":[{\"content\":{\"parts\":[{\"inlineData\":"
	    "{\"mimeType\":\"image/png\",\"data\":\"AAAA\"}}]}}]}",
	    'r', 0, NULL, NULL },
	{ "gemini", "",
	    "{\"candidates\":[{\"content\":{\"role\":\"model\"},"
	    "\"finishReason\":\"STOP\"}],\"usageMetadata\":{}}",
	    'f', 0, "STOP", NULL },
	{ "gemini", "", "{\"usageMetadata\":{\"promptTokenCount\":1}}", 'u', 0,
	    NULL, NULL },
	{ "gemini", "", "{\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}",
	    'e', 0, NULL, "the prompt is blocked: SAFETY" },
	{ "gemini", "",
	    "{\"error\":{\"code\":503,\"message\":\"busy\",\"status\":"
	    "\"UNAVAILABLE\"}}",
	    'e', 0, NULL, "busy" },
	/* cohere */
	{ "cohere", "message-start",
	    "{\"type\":\"message-start\",\"delta\":{\"message\":{\"content\":"
	    "[],\"tool_plan\":\"\",\"tool_calls\":[]}}}",
	    'r', 0, NULL, NULL },
	{ "cohere", "",
	    "{\"type\":\"content-delta\",\"delta\":{\"message\":{\"content\":"
	    "{\"thinking\":\"hm\"}}}}",
	    'g', 2, NULL, NULL },
	{ "cohere", "",
	    "{\"type\":\"tool-plan-delta\",\"delta\":{\"message\":"
	    "{\"tool_plan\":\"I\"}}}",
	    'g', 1, NULL, NULL },
	{ "cohere", "",
	    "{\"type\":\"tool-call-delta\",\"delta\":{\"message\":"
	    "{\"tool_calls\":{\"function\":{\"arguments\":\"{\\\"\"}}}}}",
	    't', 2, NULL, NULL },
	{ "cohere", "",
	    "{\"type\":\"message-end\",\"delta\":{\"finish_reason\":"
	    "\"MAX_TOKENS\",\"usage\":{\"tokens\":{\"output_tokens\":1}}}}",
	    'd', 0, "MAX_TOKENS", NULL },
	{ "cohere", "",
	    "{\"type\":\"message-end\",\"delta\":{\"finish_reason\":"
	    "\"ERROR\",\"error\":\"out of memory\"}}",
	    'e', 0, "ERROR", "out of memory" },
	{ "cohere", NULL,
	    "{\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]},"
	    "\"finish_reason\":\"COMPLETE\"}",
	    'c', 2, "COMPLETE", NULL },
	/* replicate */
	{ "replicate", "output", " Hi\n", 'c', 4, NULL, NULL },
	{ "replicate", "output", "", 'r', 0, NULL, NULL },
	{ "replicate", "logs", "x", 'o', 0, NULL, NULL },
	{ "replicate", "error", "out of memory", 'e', 0, NULL,
	    "out of memory" },
	{ "replicate", "done", "{}", 'd', 0, NULL, NULL },
	{ "replicate", "done", "{\"reason\":\"canceled\"}", 'd', 0, "canceled",
	    NULL },
	{ "replicate", NULL,
	    "{\"status\":\"succeeded\",\"output\":[\"a\",\"bc\"]}", 'c', 3,
	    "succeeded", NULL },
	{ "replicate", NULL, "{\"status\":\"failed\",\"error\":\"e\"}", 'e', 0,
	    "failed", "e" },
};

static const char *const apis[] = { "responses", "messages", "gemini",
	"cohere" };

static struct tape_err err;

static bool
same(struct tape_str got, const char *want)
{
	return want == NULL ? got.p == NULL : tape_str_is(got, want);
}

static void
start(struct tape_api_decoder *d, const char *api)
{
	tape_err_clear(&err);
	tape_api_decoder_init(d, tape_api_find(tape_str_of(api)), true);
}

static void
decode(struct tape_api_decoder *d, const char *type, const char *data,
    struct tape_api_event *ev)
{
	const struct tape_str text = tape_str_of(data);

	is_int(type == NULL
		   ? tape_api_decode_body(d, text, ev, &err)
		   : tape_api_decode(d, tape_str_of(type), text, ev, &err),
	    TAPE_OK, "%s: %.50s", d->api->name, data);
}

static void
test_events(void)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct tape_api_decoder d;
		struct tape_api_event ev;

		start(&d, events[i].api);
		decode(&d, events[i].type, events[i].data, &ev);
		ok(ev.class == events[i].class && !ev.malformed, "is %c: %c",
		    events[i].class, ev.class);
		is_int(ev.text_bytes, events[i].bytes, "its text");
		ok(same(ev.finish, events[i].finish), "its finish reason");
		ok(same(ev.error, events[i].error), "its error");
		is_int(d.failed, events[i].error != NULL, "failed or not");
		tape_api_decoder_release(&d);
	}
}

/* What every dialect takes alike. */
static void
test_alike(void)
{
	struct tape_api_decoder d;
	struct tape_api_event ev;

	for (size_t i = 0; i < 4; i++) {
		start(&d, apis[i]);
		decode(&d, "", "", &ev);
		ok(ev.class == 'o' && !ev.malformed, "C09: nothing");
		decode(&d, "", "{}", &ev);
		ok(ev.class == 'o' && !ev.malformed, "an empty object");
		decode(&d, "", "{\"a\":1}\n{\"b\":2}", &ev);
		ok(ev.malformed, "C13: two objects in one event");
		decode(&d, "", "{\"delta\":", &ev);
		ok(ev.malformed, "half an object");
		decode(&d, "", "[]", &ev);
		ok(ev.malformed, "no object");
		decode(&d, "",
		    "{\"llmtape\":{\"t\":\"1.500000000\",\"late_ns\":7},\"timings\":"
		    "{\"prompt_ms\":1}}",
		    &ev);
		is_int(ev.server_ns, 1500000000, "a stamp");
		is_int(ev.server_late_ns, 7, "and its lateness");
		is_int(d.malformed, 3, "three were malformed");
		ok(!d.done && !d.failed, "and it goes on");
		decode(&d, "", "[DONE]", &ev);
		ok(ev.class == 'd' && d.done, "until the end");
		tape_api_decoder_release(&d);
	}
}

/* The short way gives what the long one does, also where the text ends in what
   the next one begins with. */
static void
test_hot(void)
{
	static const char *const hot[][2] = {
		{ "messages",
		    "{\"type\":\"content_block_delta\",\"delta\":{\"type\":"
		    "\"text_delta\",\"text\":\"%s\"}}" },
		{ "cohere",
		    "{\"type\":\"content-delta\",\"delta\":{\"message\":"
		    "{\"content\":{\"text\":\"%s\"}}}}" },
		{ "responses", "{\"delta\":\"%s\",\"type\":"
			       "\"response.output_text.delta\"}" },
		{ "gemini",
		    "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":"
		    "\"%s\"}]}}]}" },
	};
	static const char *const texts[] = { "a", "bc", "", "d\\n", "\xc3\xa9",
		"text_delta", "x" };
	struct tape_api_decoder d;
	struct tape_api_event ev;
	char data[256];

	for (size_t i = 0; i < 4; i++) {
		start(&d, hot[i][0]);
		for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
			int n = snprintf(data, sizeof(data), "%.*s%s%s",
			    (int)(strchr(hot[i][1], '%') - hot[i][1]),
			    hot[i][1], texts[k], strchr(hot[i][1], '%') + 2);

			ok(n > 0 && n < (int)sizeof(data), "fits");
			decode(&d, "", data, &ev);
		}
		is_str(d.text.data, "abcd\n\xc3\xa9text_deltax", "the text");
		is_int(d.token_events, 6, "in six events");
		decode(&d, "", "{\"delta\":7,\"candidates\":null}", &ev);
		is_int(d.token_events, 6, "another adds nothing");
		tape_api_decoder_release(&d);
	}
}

/* Usage in two events is one. */
static void
test_usage(void)
{
	struct tape_api_decoder d;
	struct tape_api_event ev;

	start(&d, "messages");
	decode(&d, "",
	    "{\"type\":\"message_start\",\"message\":{\"usage\":"
	    "{\"input_tokens\":16,\"cache_read_input_tokens\":4,"
	    "\"output_tokens\":5}}}",
	    &ev);
	ok(ev.class == 'u' && ev.has_usage, "the first half");
	decode(&d, "",
	    "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
	    "\"end_turn\"},\"usage\":{\"output_tokens\":38}}",
	    &ev);
	is_int(d.tokens.input, 20, "all of the input");
	is_int(d.tokens.cached, 4, "of it cached");
	is_int(d.tokens.output, 38, "the output as it was last");
	tape_api_decoder_release(&d);

	start(&d, "gemini");
	decode(&d, "",
	    "{\"usageMetadata\":{\"promptTokenCount\":6,"
	    "\"thoughtsTokenCount\":137}}",
	    &ev);
	is_int(ev.out_tokens, 137, "thoughts are output");
	decode(&d, "",
	    "{\"usageMetadata\":{\"promptTokenCount\":6,"
	    "\"candidatesTokenCount\":71,\"thoughtsTokenCount\":137,"
	    "\"cachedContentTokenCount\":2}}",
	    &ev);
	is_int(d.tokens.output, 208, "with the candidates");
	is_int(d.tokens.reasoning, 137, "and reasoning");
	is_int(d.tokens.cached, 2, "cached");
	tape_api_decoder_release(&d);
}

/* Several candidates, and calls without ids. */
static void
test_candidates(void)
{
	struct tape_api_decoder d;
	struct tape_api_event ev;

	start(&d, "gemini");
	decode(&d, "",
	    "{\"candidates\":[{\"index\":1,\"content\":{\"parts\":[{\"text\":"
	    "\"one\"}]}},{\"content\":{\"parts\":[{\"text\":\"zero\"}]}}]}",
	    &ev);
	is_int(ev.choice, 1, "the first text's choice");
	is_str(d.text.data, "zero", "the text is the first choice's");
	is_int(d.choices, 2, "two choices");
	for (int i = 0; i < 2; i++)
		decode(&d, "",
		    "{\"candidates\":[{\"content\":{\"parts\":["
		    "{\"functionCall\":{\"name\":\"f\"}},"
		    "{\"functionCall\":{\"name\":\"f\"}}]}}]}",
		    &ev);
	is_int(d.tool_calls, 4, "each call is one");
	decode(&d, "", "{\"candidates\":[{\"index\":-1}]}", &ev);
	ok(ev.malformed, "an index below 0");
	decode(&d, "", "{\"candidates\":[1]}", &ev);
	ok(ev.malformed, "a candidate that is none");
	tape_api_decoder_release(&d);
}

/* All events of the dialect that are above. */
static enum tape_status
decode_all(struct tape_api_decoder *d)
{
	struct tape_api_event ev;
	enum tape_status st = TAPE_OK;

	for (size_t i = 0;
	     i < sizeof(events) / sizeof(events[0]) && st == TAPE_OK; i++) {
		const struct tape_str data = tape_str_of(events[i].data);

		if (strcmp(events[i].api, d->api->name) != 0)
			continue;
		st = events[i].type == NULL
			 ? tape_api_decode_body(d, data, &ev, &err)
			 : tape_api_decode(
			       d, tape_str_of(events[i].type), data, &ev, &err);
		ok(st == TAPE_OK || st == TAPE_E_NOMEM, "no other failure");
		if (st == TAPE_OK && ev.malformed)
			st = TAPE_E_BUG;
	}
	return st;
}

/* Each allocation fails once, and an event is never malformed for that. */
static void
test_memory(void)
{
	for (size_t i = 0; i < 4; i++) {
		enum tape_status st = TAPE_E_NOMEM;
		uint64_t n = 0;

		while (st == TAPE_E_NOMEM && n < 200) {
			struct tape_api_decoder d;

			start(&d, apis[i]);
			(void)tape_mem_fail_at(++n);
			st = decode_all(&d);
			(void)tape_mem_fail_at(0);
			tape_api_decoder_release(&d);
		}
		is_int(st, TAPE_OK, "%s decodes when memory is there", apis[i]);
		ok(n > 5, "and failed before in %d allocations", (int)n - 1);
	}
}

int
main(void)
{
	test_events();
	test_memory();
	test_alike();
	test_hot();
	test_usage();
	test_candidates();
	return done_testing();
}
