/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_ask.h"

#include "base/mem.h"
#include "unit/tap.h"

static struct tape_json reader;
static struct tape_serve_ask ask;
static struct tape_err err;

static enum tape_status
parse(bool chat, const char *body)
{
	tape_serve_ask_release(&ask);
	tape_serve_ask_init(&ask,
	    chat ? &tape_serve_chat.shape : &tape_serve_completions.shape, 1);
	tape_err_clear(&err);
	return tape_serve_ask_parse(&ask, &reader, body, strlen(body), &err);
}

static void
test_good(void)
{
	is_int(parse(true,
		   "{\"model\":\"m/\\\"1\",\"messages\":["
		   "{\"role\":\"system\",\"content\":\"be brief\"},"
		   "{\"content\":[{\"type\":\"text\",\"text\":\"a b\"},"
		   "{\"type\":\"image_url\",\"image_url\":{\"url\":\"x y\"}"
		   "},{\"type\":\"text\",\"text\":\"c\\u0020d\"}],"
		   "\"role\":\"user\"},{\"role\":\"assistant\","
		   "\"content\":null,\"tool_calls\":[{\"text\":\"z\"}]}],"
		   "\"stream\":true,\"stream_options\":"
		   "{\"other\":[1],\"include_usage\":true},"
		   "\"max_tokens\":7,\"ignore_eos\":true,\"n\":1,"
		   "\"temperature\":0.5,\"stop\":null}"),
	    TAPE_OK, "a chat with everything");
	is_int(ask.prompt.tokens, 6, "words of strings and text parts");
	ok(ask.stream && ask.usage && ask.ignore_eos, "flags");
	is_int(ask.max_tokens, 7, "length");
	is_str(ask.model.data, "\"m/\\\"1\"", "model, still JSON");
	is_int(parse(true, "{\"messages\":[{\"content\":\"\"}],"
			   "\"max_completion_tokens\":9,\"stream\":null,"
			   "\"model\":null,\"max_tokens\":null}"),
	    TAPE_OK, "a chat with nothing");
	is_int(ask.prompt.tokens, 0, "no words");
	ok(!ask.stream && !ask.usage && ask.model.len == 0, "nulls are absent");
	is_int(ask.max_tokens, 9, "the newer name of the length");
	is_int(parse(false, "{\"prompt\":\"one two\",\"messages\":3}"), TAPE_OK,
	    "a completion");
	is_int(ask.prompt.tokens, 2, "its words");
	is_int(
	    parse(false, "{\"prompt\":[\"one two\"]}"), TAPE_OK, "in an array");
	is_int(ask.prompt.tokens, 2, "its words");
	is_int(parse(false, "{\"prompt\":[5,6,7]}"), TAPE_OK, "token numbers");
	is_int(ask.prompt.tokens, 3, "counted");
	is_int(parse(false, "{\"prompt\":[[5,6,7,8]]}"), TAPE_OK,
	    "token numbers in an array");
	is_int(ask.prompt.tokens, 4, "counted");
}

static void
test_bad(void)
{
	static const struct {
		bool chat;
		const char *body;
		const char *text;
	} cases[] = {
		{ true, "", NULL },
		{ true, "{", NULL },
		{ true, "[]", NULL },
		{ true, "{\"messages\":[]} x", NULL },
		{ true, "{}", "messages: missing" },
		{ false, "{\"messages\":[]}", "prompt: missing" },
		{ true, "{\"messages\":[]}",
		    "messages: at least one expected" },
		{ true, "{\"messages\":{}}", "messages: an array expected" },
		{ true, "{\"messages\":[1]}", "messages: objects expected" },
		{ true, "{\"messages\":[{\"content\":1}]}",
		    "content: a string or an array expected" },
		{ true, "{\"messages\":[{\"content\":[\"x\"]}]}",
		    "content: parts are objects" },
		{ true, "{\"messages\":[{}],\"messages\":[{}]}",
		    "messages: given twice" },
		{ true, "{\"messages\":[{}],\"stream\":1}",
		    "stream: true or false expected" },
		{ true, "{\"messages\":[{}],\"max_tokens\":0}",
		    "max_tokens: a whole number from 1 expected" },
		{ true, "{\"messages\":[{}],\"max_tokens\":1.5}",
		    "max_tokens: a whole number from 1 expected" },
		{ true, "{\"messages\":[{}],\"max_tokens\":1e99}",
		    "max_tokens: a whole number from 1 expected" },
		{ true, "{\"messages\":[{}],\"model\":1}",
		    "model: a string expected" },
		{ true, "{\"messages\":[{}],\"model\":\"a\\u0000\"}",
		    "model: no such model" },
		{ false, "{\"prompt\":{}}",
		    "prompt: a string or an array expected" },
		{ false, "{\"prompt\":[]}",
		    "prompt: text or token numbers expected" },
		{ false, "{\"prompt\":[\"a\",\"b\"]}",
		    "prompt: one prompt per request" },
		{ false, "{\"prompt\":[1,\"b\"]}",
		    "prompt: token numbers expected" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		is_int(parse(cases[i].chat, cases[i].body), TAPE_E_FORMAT, "%s",
		    cases[i].body);
		if (cases[i].text != NULL)
			is_str(err.text, cases[i].text, "and says why");
	}
}

static void
test_digest(void)
{
	uint64_t d;

	(void)parse(true, "{\"messages\":[{\"content\":\"a b\"}],\"seed\":1}");
	d = ask.prompt.digest;
	(void)parse(true, "{\"messages\":[{\"content\":[{\"type\":\"text\","
			  "\"text\":\"a\\u0020b\"}]}],\"stream\":true}");
	ok(ask.prompt.digest == d, "the same words have the same digest");
	(void)parse(true, "{\"messages\":[{\"content\":\"a c\"}]}");
	ok(ask.prompt.digest != d, "others another one");
}

static void
test_no_memory(void)
{
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t nth = 0;

	while (st == TAPE_E_NOMEM && nth < 100) {
		tape_json_release(&reader);
		tape_json_init(&reader);
		(void)tape_mem_fail_at(++nth);
		st = parse(false, "{\"model\":\"m\\n\",\"prompt\":[1,2],"
				  "\"x\":\"\\u0041\"}");
		(void)tape_mem_fail_at(0);
	}
	is_int(st, TAPE_OK, "each failing allocation is told");
	ok(nth > 2, "there were some");
}

int
main(void)
{
	tape_json_init(&reader);
	test_good();
	test_bad();
	test_digest();
	test_no_memory();
	tape_serve_ask_release(&ask);
	tape_json_release(&reader);
	return done_testing();
}
