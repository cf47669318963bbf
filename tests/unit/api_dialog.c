/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Request bodies of the dialects that are not OpenAI's chat. */
#include "api/api.h"
#include "base/mem.h"
#include "unit/tap.h"

#define TALK                                                                   \
 "[{\"role\":\"system\",\"content\":\"Be kind\\n\"},"                          \
 "{\"role\":\"user\",\"content\":\"Hi\"},"                                     \
 "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Yo\"}]}," \
 "{\"role\":\"developer\",\"content\":[{\"type\":\"text\",\"text\":\"A\"},"    \
 "{\"type\":\"text\",\"text\":\"B\"}]},"                                       \
 "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"So?\"}]}]"

static struct tape_err err;

static struct tape_api_ask
ask(const struct tape_input *in)
{
	struct tape_api_ask a = { .input = in,
		.model = tape_str_of("m"),
		.output_tokens = TAPE_ABSENT_I64 };

	return a;
}

/* With all that can be asked for. */
static struct tape_api_ask
full(const struct tape_input *in)
{
	struct tape_api_ask a = ask(in);

	a.stream = a.usage = true;
	a.output_tokens = 64;
	return a;
}

static void
renders(const char *api, struct tape_api_ask a, const char *want)
{
	struct tape_buf out;

	tape_err_clear(&err);
	tape_buf_init(&out, TAPE_CAP_REQUEST);
	is_int(tape_api_render(tape_api_find(tape_str_of(api)), &a, &out, &err),
	    TAPE_OK, "%s renders %.50s", api, want);
	is_str(out.data, want, "as it should");
	tape_buf_release(&out);
}

static void
refuses(const char *api, struct tape_input in, const char *why)
{
	struct tape_api_ask a = full(&in);
	struct tape_buf out;

	tape_err_clear(&err);
	tape_buf_init(&out, TAPE_CAP_REQUEST);
	is_int(tape_api_render(tape_api_find(tape_str_of(api)), &a, &out, &err),
	    TAPE_E_USAGE, "%s refuses", api);
	is_str(err.text, why, "and says why");
	is_int(out.len, 0, "and appends nothing");
	tape_buf_release(&out);
}

static struct tape_input
messages(const char *json)
{
	struct tape_input in = { .messages = tape_str_of(json) };

	return in;
}

static void
test_text(void)
{
	const struct tape_input in = { .text = tape_str_of("a\"b") };

	renders(
	    "responses", ask(&in), "{\"model\":\"m\",\"input\":\"a\\\"b\"}");
	renders("responses", full(&in),
	    "{\"model\":\"m\",\"input\":\"a\\\"b\",\"max_output_tokens\":64,"
	    "\"stream\":true}");
	renders("messages", ask(&in),
	    "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":"
	    "\"a\\\"b\"}],\"max_tokens\":4096}");
	renders("messages", full(&in),
	    "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":"
	    "\"a\\\"b\"}],\"max_tokens\":64,\"stream\":true}");
	renders("cohere", full(&in),
	    "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":"
	    "\"a\\\"b\"}],\"max_tokens\":64,\"stream\":true}");
	renders("gemini", ask(&in),
	    "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":"
	    "\"a\\\"b\"}]}]}");
	renders("gemini", full(&in),
	    "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":"
	    "\"a\\\"b\"}]}],\"generationConfig\":{\"maxOutputTokens\":64}}");
}

static void
test_messages(void)
{
	const struct tape_input in = messages(TALK);

	renders("responses", full(&in),
	    "{\"model\":\"m\",\"input\":["
	    "{\"role\":\"system\",\"content\":\"Be kind\\n\"},"
	    "{\"role\":\"user\",\"content\":\"Hi\"},"
	    "{\"role\":\"assistant\",\"content\":"
	    "[{\"type\":\"output_text\",\"text\":\"Yo\"}]},"
	    "{\"role\":\"developer\",\"content\":"
	    "[{\"type\":\"input_text\",\"text\":\"A\"},"
	    "{\"type\":\"input_text\",\"text\":\"B\"}]},"
	    "{\"role\":\"user\",\"content\":"
	    "[{\"type\":\"input_text\",\"text\":\"So?\"}]}],"
	    "\"max_output_tokens\":64,\"stream\":true}");
	renders("messages", full(&in),
	    "{\"model\":\"m\",\"system\":["
	    "{\"type\":\"text\",\"text\":\"Be kind\\n\"},"
	    "{\"type\":\"text\",\"text\":\"A\"},"
	    "{\"type\":\"text\",\"text\":\"B\"}],\"messages\":["
	    "{\"role\":\"user\",\"content\":\"Hi\"},"
	    "{\"role\":\"assistant\",\"content\":"
	    "[{\"type\":\"text\",\"text\":\"Yo\"}]},"
	    "{\"role\":\"user\",\"content\":"
	    "[{\"type\":\"text\",\"text\":\"So?\"}]}],"
	    "\"max_tokens\":64,\"stream\":true}");
	renders("gemini", ask(&in),
	    "{\"systemInstruction\":{\"parts\":[{\"text\":\"Be kind\\n\"},"
	    "{\"text\":\"A\"},{\"text\":\"B\"}]},\"contents\":["
	    "{\"role\":\"user\",\"parts\":[{\"text\":\"Hi\"}]},"
	    "{\"role\":\"model\",\"parts\":[{\"text\":\"Yo\"}]},"
	    "{\"role\":\"user\",\"parts\":[{\"text\":\"So?\"}]}]}");
	renders("cohere", ask(&in), "{\"model\":\"m\",\"messages\":" TALK "}");
}

/* What is in the dialect's own shape already stays. */
static void
test_own_shape(void)
{
	const struct tape_input image =
	    messages("[{\"role\":\"user\",\"content\":[{\"type\":\"image\","
		     "\"source\":{}}, {\"type\":\"text\",\"text\":\"?\"}]}]");
	const struct tape_input parts =
	    messages("[{\"role\":\"model\",\"parts\":[{\"inlineData\":{}}]},"
		     "{\"content\":[{\"fileData\":{}},\"x\"]}]");
	const struct tape_input native =
	    messages("[{\"role\":\"model\",\"parts\":[{\"inlineData\":{}}]}]");
	const struct tape_input call =
	    messages("[{\"type\":\"function_call_output\",\"output\":\"1\"}]");

	renders("messages", ask(&image),
	    "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":["
	    "{\"type\":\"image\",\"source\":{}}, {\"type\":\"text\",\"text\":"
	    "\"?\"}]}],\"max_tokens\":4096}");
	renders("gemini", ask(&native),
	    "{\"contents\":[{\"role\":\"model\",\"parts\":"
	    "[{\"inlineData\":{}}]}]}");
	renders("responses", ask(&call),
	    "{\"model\":\"m\",\"input\":[{\"type\":\"function_call_output\","
	    "\"output\":\"1\"}]}");
	refuses(
	    "gemini", parts, "the gemini API cannot say a part of type \"x\"");
}

static void
test_refusals(void)
{
	static const char *const apis[] = { "responses", "messages", "gemini",
		"cohere" };
	static const int64_t ids[] = { 1, 2 };
	struct tape_input tokens = { .tokens = { ids, 2 } };
	char why[80];

	for (size_t i = 0; i < 4; i++) {
		(void)snprintf(why, sizeof(why),
		    "the %s API takes no token ids: use completions", apis[i]);
		refuses(apis[i], tokens, why);
	}
	for (size_t i = 0; i < 3; i++) {
		refuses(apis[i], messages("[1]"),
		    "the messages are no JSON array of objects");
		refuses(apis[i], messages("{}"),
		    "the messages are no JSON array of objects");
	}
	refuses("messages", messages("[{\"role\":\"tool\",\"content\":\"1\"}]"),
	    "the messages API takes no message of role tool: it has "
	    "tool_result in one of the user");
	refuses("gemini", messages("[{\"role\":\"tool\",\"content\":\"1\"}]"),
	    "the gemini API takes no message of role \"tool\"");
	refuses("gemini",
	    messages("[{\"role\":\"user\",\"content\":"
		     "[{\"type\":\"image_url\"}]}]"),
	    "the gemini API cannot say a part of type \"image_url\"");
}

static void
test_overrides(void)
{
	const struct tape_input in = messages(TALK);
	const struct tape_input hi = { .text = tape_str_of("hi") };
	struct tape_api_ask a = full(&in);

	a.params = tape_str_of("{\"max_tokens\":1,\"temperature\":0}");
	a.extra = tape_str_of("{\"system\":\"S\",\"messages\":[]}");
	renders("messages", a,
	    "{\"model\":\"m\",\"stream\":true,\"max_tokens\":1,"
	    "\"temperature\":0,\"system\":\"S\",\"messages\":[]}");
	a.extra = tape_str_of("{\"input\":\"i\"}");
	a.params = tape_str_of("{\"stream\":false}");
	a.max_tokens_field = "max_tokens";
	renders("responses", a,
	    "{\"model\":\"m\",\"max_tokens\":64,\"stream\":false,"
	    "\"input\":\"i\"}");
	a.params = tape_str_of("{\"contents\":[]}");
	a.extra = tape_str_of("{\"systemInstruction\":{}}");
	a.max_tokens_field = NULL;
	renders("gemini", a,
	    "{\"generationConfig\":{\"maxOutputTokens\":64},\"contents\":[],"
	    "\"systemInstruction\":{}}");
	a.input = &hi;
	a.output_tokens = TAPE_ABSENT_I64;
	a.max_tokens_field = "max_new";
	renders("messages", a,
	    "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":"
	    "\"hi\"}],\"max_new\":4096,\"stream\":true,\"contents\":[],"
	    "\"systemInstruction\":{}}");
}

/* generationConfig is put together from everywhere. */
static void
test_config(void)
{
	static const char head[] = "{\"contents\":[{\"role\":\"user\","
				   "\"parts\":[{\"text\":\"hi\"}]}],";
	static const struct {
		const char *params, *extra, *want;
	} t[] = {
		{ "{\"generationConfig\":{\"temperature\":0}}", NULL,
		    "{\"maxOutputTokens\":64,\"temperature\":0}}" },
		{ NULL, "{\"generationConfig\":{\"topK\":1}}",
		    "{\"maxOutputTokens\":64,\"topK\":1}}" },
		{ "{\"generationConfig\":{\"a\":1,\"b\":2}}",
		    "{\"generationConfig\":{\"b\":3,\"maxOutputTokens\":5}}",
		    "{\"a\":1,\"b\":3,\"maxOutputTokens\":5}}" },
		{ "{\"generationConfig\":{\"maxOutputTokens\":9}}", NULL,
		    "{\"maxOutputTokens\":9}}" },
		{ "{\"generationConfig\":{\"a\":1}}",
		    "{\"generationConfig\":null}", "null}" },
		{ "{\"generationConfig\":7}",
		    "{\"generationConfig\":{\"a\":1}}",
		    "{\"maxOutputTokens\":64,\"a\":1}}" },
	};
	const struct tape_input in = { .text = tape_str_of("hi") };
	struct tape_api_ask a = full(&in);
	char want[200];

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		a.params = tape_str_make(
		    t[i].params, t[i].params != NULL ? strlen(t[i].params) : 0);
		a.extra = tape_str_make(
		    t[i].extra, t[i].extra != NULL ? strlen(t[i].extra) : 0);
		(void)snprintf(want, sizeof(want), "%s\"generationConfig\":%s",
		    head, t[i].want);
		renders("gemini", a, want);
	}
}

static void
test_paths(void)
{
	static const struct {
		const char *api;
		bool stream;
		const char *path;
	} t[] = {
		{ "responses", true, "/v1/responses" },
		{ "messages", false, "/v1/messages" },
		{ "cohere", true, "/v2/chat" },
		{ "gemini", false, "/v1beta/models/m:generateContent" },
		{ "gemini", true,
		    "/v1beta/models/m:streamGenerateContent?alt=sse" },
	};
	const struct tape_input in = { .text = tape_str_of("hi") };
	struct tape_buf out;
	bool own;

	tape_buf_init(&out, 256);
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct tape_api_ask a = ask(&in);

		a.stream = t[i].stream;
		tape_buf_clear(&out);
		is_int(tape_api_path(tape_api_find(tape_str_of(t[i].api)), &a,
			   &out, &own, &err),
		    TAPE_OK, "path of %s", t[i].api);
		is_str(out.data, t[i].path, "is its own");
	}
	tape_buf_release(&out);
	is_str(tape_api_find(tape_str_of("messages"))->headers[0],
	    "anthropic-version: 2023-06-01", "a version is asked for");
}

/* Each allocation fails once, and nothing is left of the body then. */
static void
test_memory(void)
{
	static const char *const apis[] = { "responses", "messages", "gemini",
		"cohere" };
	const struct tape_input in = messages(TALK);
	struct tape_api_ask a = full(&in);

	a.params = tape_str_of("{\"generationConfig\":{\"a\":1}}");
	a.extra = tape_str_of("{\"generationConfig\":{\"b\":[2]}}");
	for (size_t i = 0; i < 4; i++) {
		enum tape_status st = TAPE_E_NOMEM;
		uint64_t n = 0;

		while (st == TAPE_E_NOMEM && n < 200) {
			struct tape_buf out;

			tape_err_clear(&err);
			tape_buf_init(&out, TAPE_CAP_REQUEST);
			(void)tape_mem_fail_at(++n);
			st =
			    tape_api_render(tape_api_find(tape_str_of(apis[i])),
				&a, &out, &err);
			(void)tape_mem_fail_at(0);
			if (st != TAPE_OK && out.len > 0)
				st = TAPE_E_BUG;
			tape_buf_release(&out);
		}
		is_int(st, TAPE_OK, "%s renders when memory is there", apis[i]);
		ok(n > 3, "and failed before in %d allocations", (int)n - 1);
	}
}

int
main(void)
{
	test_text();
	test_memory();
	test_messages();
	test_own_shape();
	test_refusals();
	test_overrides();
	test_config();
	test_paths();
	return done_testing();
}
