/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/api_asks.h"

static void
path_is_whose(const struct tape_api *api, const struct tape_input *in,
    const char *path, bool own, const char *what)
{
	struct tape_api_ask about = { .input = in,
		.model = tape_str_of("o/a?b%") };
	struct tape_buf b;
	bool is_own = !own;

	tape_buf_init(&b, 256);
	is_int(
	    tape_api_path(api, &about, &b, &is_own, NULL), TAPE_OK, "%s", what);
	is_str(b.data, path, "its path");
	is_int(is_own, own, "the dialect's or not");
	tape_buf_release(&b);
}

static void
test_table(void)
{
	struct tape_input in = { .body = { "{}", 2 } };

	ok(tape_api_find(tape_str_of("nothing")) == NULL, "no such dialect");
	is_str(tape_api_at(0)->name, "chat", "the first one is chat");
	for (size_t i = 0; tape_api_at(i) != NULL; i++)
		ok(tape_api_find(tape_str_of(tape_api_at(i)->name)) ==
			tape_api_at(i),
		    "%s is found by its name", tape_api_at(i)->name);
	path_is_whose(tape_api_at(0), &in, "/v1/chat/completions", true,
	    "a body without path goes to the dialect's");
	in.path = tape_str_of("/v1/chat/completions");
	path_is_whose(tape_api_at(0), &in, "/v1/chat/completions", true,
	    "or one with just that path");
	in.path = tape_str_of("/x");
	path_is_whose(
	    tape_api_at(0), &in, "/x", false, "one with a path goes there");
}

static void
test_paths(void)
{
	const struct tape_api api = { .name = "a",
		.path = "/v2/{model}/one",
		.stream_path = "/v2/{model}/many?alt=sse" };
	struct tape_input in = { .text = { "x", 1 } };
	struct tape_api_ask what = { .input = &in };
	struct tape_buf b;
	bool own;

	is_str(tape_api_endpoint(&api, false), "/v2/{model}/one", "one");
	is_str(tape_api_endpoint(&api, true), "/v2/{model}/many?alt=sse",
	    "of streams");
	path_is_whose(
	    &api, &in, "/v2/o/a%3Fb%25/one", true, "the model in the path");
	tape_buf_init(&b, 64);
	tape_err_clear(&err);
	is_int(tape_api_path(&api, &what, &b, &own, &err), TAPE_E_USAGE,
	    "none without a model");
	ok(strstr(err.text, "--model") != NULL, "says what to give");
	what.stream = true;
	what.model = tape_str_of("m");
	is_int(tape_api_path(&api, &what, &b, &own, NULL), TAPE_OK, "a stream");
	is_str(b.data, "/v2/m/many?alt=sse", "its path");
	tape_buf_release(&b);
}

static void
test_chat(void)
{
	struct tape_input in = text("a \"b\"\n\xe4\xbd\xa0");
	struct tape_api_ask ask;

	renders("chat", plain(&in),
	    "{\"messages\":[{\"role\":\"user\",\"content\":"
	    "\"a \\\"b\\\"\\n\xe4\xbd\xa0\"}]}",
	    "text alone");
	in = text("hi");
	renders("chat", full(&in),
	    "{\"model\":\"m\\\"1\",\"messages\":[{\"role\":\"user\","
	    "\"content\":\"hi\"}],\"max_tokens\":64,\"stream\":true,"
	    "\"stream_options\":{\"include_usage\":true}}",
	    "all that replay sets");
	ask = full(&in);
	ask.usage = false;
	ask.max_tokens_field = "max_completion_tokens";
	renders("chat", ask,
	    "{\"model\":\"m\\\"1\",\"messages\":[{\"role\":\"user\","
	    "\"content\":\"hi\"}],\"max_completion_tokens\":64,"
	    "\"stream\":true}",
	    "without usage, with another length");
	in = messages("[ {\"role\": \"system\", \"content\": \"x\"} ]");
	renders("chat", plain(&in),
	    "{\"messages\":[ {\"role\": \"system\", \"content\": \"x\"} ]}",
	    "messages verbatim");
	in = blocks();
	renders("chat", plain(&in),
	    "{\"messages\":[{\"role\":\"user\",\"content\":\"gnu dog gnu "
	    "eel cow gnu gnu eel ant cow\"}]}",
	    "blocks");
	ask = plain(&in);
	ask.salt = 1;
	renders("chat", ask,
	    "{\"messages\":[{\"role\":\"user\",\"content\":\"gnu dog fox "
	    "gnu fox gnu ant fox gnu ant\"}]}",
	    "blocks with salt");
}

static void
test_completions(void)
{
	struct tape_input in = text("hi");

	renders("completions", full(&in),
	    "{\"model\":\"m\\\"1\",\"prompt\":\"hi\",\"max_tokens\":64,"
	    "\"stream\":true,\"stream_options\":{\"include_usage\":true}}",
	    "text");
	in = tokens();
	renders(
	    "completions", plain(&in), "{\"prompt\":[1,22,333]}", "token ids");
	in = blocks();
	renders("completions", plain(&in),
	    "{\"prompt\":\"gnu dog gnu eel cow gnu gnu eel ant cow\"}",
	    "blocks");
}

static void
test_body(void)
{
	struct tape_input in = no_input();

	in.body = tape_str_of("{\"any\": 1, \"thing\"");
	renders("chat", full(&in), "{\"any\": 1, \"thing\"",
	    "a verbatim body, which nothing changes");
}

static void
test_overrides(void)
{
	struct tape_input in = text("hi");
	struct tape_api_ask ask = full(&in);

	ask.params = tape_str_of(
	    "{\"temperature\": 0.50, \"max_tokens\":5, \"st\\u006fp\":[\"a\"],"
	    "\"seed\":1}");
	ask.extra = tape_str_of("{\"seed\":2,\"stream\":false,\"n\":{ }}");
	renders("chat", ask,
	    "{\"model\":\"m\\\"1\",\"messages\":[{\"role\":\"user\","
	    "\"content\":\"hi\"}],\"stream_options\":{\"include_usage\":true},"
	    "\"temperature\":0.50,\"max_tokens\":5,\"stop\":[\"a\"],"
	    "\"seed\":2,\"stream\":false,\"n\":{ }}",
	    "extra over params over the dialect, each key once");
	ask.params = tape_str_of("{}");
	ask.extra = tape_str_of("{\"messages\":[],\"model\":null}");
	renders("chat", ask,
	    "{\"max_tokens\":64,\"stream\":true,"
	    "\"stream_options\":{\"include_usage\":true},\"messages\":[],"
	    "\"model\":null}",
	    "even the input can be replaced");
	in = no_input();
	in.text = tape_str_of("");
	ask = plain(&in);
	ask.extra = tape_str_of("{\"prompt\":\"\"}");
	renders("completions", ask, "{\"prompt\":\"\"}", "or all of it");
}

static void
test_refusals(void)
{
	struct tape_input in = tokens();
	struct tape_api_ask ask;

	refuses("chat", full(&in), TAPE_E_USAGE,
	    "the chat API takes no token ids: use completions");
	in = messages("[]");
	refuses("completions", full(&in), TAPE_E_USAGE,
	    "the completions API takes no messages: use chat, whose server has "
	    "the template");
	in = blocks();
	ask = full(&in);
	ask.vocabs = NULL;
	refuses("chat", ask, TAPE_E_FORMAT,
	    "no vocabulary \"zoo\" came before its request");
	in.blocks.tokens = 99;
	refuses("chat", full(&in), TAPE_E_FORMAT,
	    "99 tokens are not 3 blocks of 4");
	in = text("hi");
	ask = full(&in);
	ask.model = tape_str_of("\xff");
	refuses("chat", ask, TAPE_E_USAGE,
	    "a text for the request body is not UTF-8");
	ask = full(&in);
	ask.extra = tape_str_of("[1]");
	refuses("chat", ask, TAPE_E_USAGE,
	    "extra fields of the request body: bad JSON at byte 0: an array where an object "
	    "should be");
	ask.extra = tape_str_of("{\"a\":1,\"a\":2}");
	refuses("chat", ask, TAPE_E_USAGE,
	    "extra fields of the request body: bad JSON at byte 7: key twice in one object");
	ask.extra = tape_str_of(NULL);
	ask.params = tape_str_of("{\"a\":1} x");
	refuses("chat", ask, TAPE_E_USAGE,
	    "params of the request body: bad JSON at byte 8: more after the value");
}

static void
test_memory(void)
{
	struct tape_input in = blocks();
	struct tape_api_ask ask = full(&in);
	struct tape_buf out;
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t n = 0;

	ask.extra = tape_str_of("{\"seed\":2,\"st\\u006fp\":[\"a\"]}");
	while (st == TAPE_E_NOMEM && n < 100) {
		tape_err_clear(&err);
		tape_buf_init(&out, TAPE_CAP_REQUEST);
		(void)tape_mem_fail_at(++n);
		st = tape_api_render(tape_api_at(0), &ask, &out, &err);
		(void)tape_mem_fail_at(0);
		if (st != TAPE_OK)
			is_int(out.len, 0, "nothing is left");
		tape_buf_release(&out);
	}
	is_int(st, TAPE_OK, "a body is rendered when memory is there");
	ok(n > 5, "and failed before in each of its allocations");
}

int
main(void)
{
	open_zoo();
	test_table();
	test_paths();
	test_chat();
	test_completions();
	test_body();
	test_overrides();
	test_refusals();
	test_memory();
	tape_vocab_set_release(&zoo);
	return done_testing();
}
