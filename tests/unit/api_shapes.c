/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Servers of no dialect: pointers into answers, and templates of bodies. */
#include "unit/api_show.h"

#include "api/api_pointers.h"
#include "unit/api_asks.h"

static struct tape_api_pointers pointers;

static void
point(enum tape_api_pointer which, const char *text)
{
	is_int(tape_api_pointers_set(&pointers, which, text, &err), TAPE_OK,
	    "a pointer %s", text);
}

static void
start_raw(const char *name)
{
	start("raw", name);
	d.pointers = &pointers;
}

static void
refuses_pointer(const char *text)
{
	struct tape_api_pointers p = { 0 };

	tape_err_clear(&err);
	is_int(tape_api_pointers_set(&p, TAPE_API_POINTER_TEXT, text, &err),
	    TAPE_E_USAGE, "'%.20s' is none", text);
	ok(!tape_api_pointers_any(&p), "and is not taken");
}

static void
test_pointers(void)
{
	char most[TAPE_API_POINTER_MAX + 1];
	struct tape_api_pointers back;
	struct tape_buf b;

	memset(most, '/', sizeof(most) - 1);
	most[sizeof(most) - 1] = '\0';
	refuses_pointer(most);
	refuses_pointer("");
	refuses_pointer("a/b");
	refuses_pointer("/a~");
	refuses_pointer("/a~2");
	memset(&pointers, 0, sizeof(pointers));
	ok(!tape_api_pointers_any(&pointers), "none is there");
	point(TAPE_API_POINTER_TEXT, "/a~1b/1/c~0d");
	point(TAPE_API_POINTER_OUTPUT, "/n/\"out\"");
	ok(tape_api_pointers_any(&pointers), "some are");
	tape_buf_init(&b, TAPE_CAP_LINE);
	is_int(tape_api_pointers_write(&pointers, &b, &err), TAPE_OK,
	    "they are written");
	is_str(b.data,
	    "{\"text\":\"/a~1b/1/c~0d\",\"output_tokens\":\"/n/\\\"out\\\"\"}",
	    "as an object");
	is_int(
	    tape_api_pointers_read(&back, tape_str_make(b.data, b.len), &err),
	    TAPE_OK, "and read");
	ok(memcmp(&back, &pointers, sizeof(back)) == 0, "the same");
	tape_buf_release(&b);
	is_int(tape_api_pointers_read(
		   &back, tape_str_of("{\"new\":1,\"text\":\"/x\"}"), &err),
	    TAPE_OK, "others are passed over");
	is_str(back.v[TAPE_API_POINTER_TEXT], "/x", "and that is taken");
	ok(tape_api_pointers_read(&back, tape_str_of("{\"text\":1}"), &err) !=
		TAPE_OK,
	    "a number is none");
	tape_err_clear(&err);
	ok(tape_api_pointers_read(&back, tape_str_of("[]"), &err) != TAPE_OK,
	    "an array has none");
}

static void
test_answers(void)
{
	start_raw("pointers");
	gives("{\"a/b\":[0,{\"c~d\":\"x\\n\"}],\"n\":{\"\\\"out\\\"\":3}}", 'c',
	    2);
	is_int(ev.out_tokens, 3, "names count without escapes");
	gives("{\"a/b\":[0,{\"c~d\":\"yz\"}]}", 'c', 2);
	gives("{\"a/b\":[0]}", 'o', 0);
	gives("{\"a/b\":{\"1\":{\"c~d\":\"w\"}}}", 'c', 1);
	gives("{\"a/b\":[0,{\"c~d\":7}]}", 'r', 0);
	gives("{\"a/b\":\"text\"}", 'o', 0);
	gives("[1]", 'o', 0);
	ok(!ev.malformed, "JSON of another shape is well-formed");
	malformed("{\"a/b\":[0,{\"c~d\":\"x\"}]");
	malformed("text");
	gives("{\"error\":{\"message\":\"boom\"}}", 'e', 0);
	text_is("x\nyzw");
	ok(tape_api_wants_tokens(&d) && tape_api_may_just_end(&d),
	    "tokens are wanted, an end mark is not");
}

static void
test_other_pointers(void)
{
	memset(&pointers, 0, sizeof(pointers));
	point(TAPE_API_POINTER_TEXT, "/0/t");
	point(TAPE_API_POINTER_REASONING, "/0/r");
	point(TAPE_API_POINTER_INPUT, "/1/i");
	point(TAPE_API_POINTER_OUTPUT, "/1/o");
	point(TAPE_API_POINTER_FINISH, "/2");
	start_raw("arrays, reasoning, counts and an end");
	gives("[{\"r\":\"hm\"}, {\"o\":1}, null]", 'g', 2);
	is_int(ev.out_tokens, 1, "one so far");
	gives("[{\"t\":\"a\"}, {\"o\":2, \"i\":9}, false]", 'c', 1);
	gives("[{\"t\":\"ab\"}, {\"o\":3.0}, \"length\"]", 'c', 1);
	ok(same(tape_api_finish(&d, 0), "length"), "why it ended");
	is_int(d.tokens.input, 9, "input");
	is_int(d.tokens.output, 3, "output");
	keeps(tape_api_usage, "{\"completion_tokens\":3.0,\"prompt_tokens\":9}",
	    "usage");
	ok(!d.done && !tape_api_may_just_end(&d), "it is to say that it ends");
	gives("[{},{},true]", 'd', 0);
	start_raw("a body");
	gives_body(" [{\"t\":\"whole\"},{\"o\":5},1] ", 'c', 5);
	is_int(d.tokens.output, 5, "a body");

	memset(&pointers, 0, sizeof(pointers));
	point(TAPE_API_POINTER_OUTPUT, "/n");
	start_raw("counts alone");
	gives("{\"n\":4}", 'u', 0);
	ok(!tape_api_wants_tokens(&d), "no tokens are wanted");
	start("raw", "no pointers");
	gives("{\"n\":4}", 'o', 0);
	gives("\xff not JSON", 'o', 0);
	gives_body("GIF89a", 'o', 0);
	is_int(d.malformed, 0, "nothing is malformed");
	ok(!tape_api_wants_tokens(&d) && tape_api_may_just_end(&d),
	    "nor missed");
}

static void
fills(const char *form, struct tape_api_ask ask, const char *want)
{
	ask.form = tape_str_of(form);
	renders("template", ask, want, form);
}

static void
spurns(const char *form, struct tape_api_ask ask, const char *why)
{
	ask.form = tape_str_of(form);
	refuses("template", ask, TAPE_E_USAGE, why);
}

static void
test_templates(void)
{
	struct tape_input in = text("a \"b\" {{x}}");
	struct tape_api_ask ask = full(&in);

	fills("{\"q\": {{prompt}}, \"m\":{{model}},\n \"n\":{{max_tokens}}, "
	      "\"s\" : {{stream}}, \"k\":{\"z\":[1, 2]}}",
	    ask,
	    "{\"q\":\"a \\\"b\\\" {{x}}\",\"m\":\"m\\\"1\",\"n\":64,\"s\":true,"
	    "\"k\":{\"z\":[1, 2]}}");
	fills("{\"m\":{{model}},\"n\":{{max_tokens}},\"s\":{{stream}}}",
	    plain(&in), "{\"m\":null,\"n\":null,\"s\":false}");
	fills("{\"c\":{{messages}}}", ask,
	    "{\"c\":[{\"role\":\"user\",\"content\":\"a \\\"b\\\" {{x}}\"}]}");
	fills("{}", ask, "{}");
	ask.params = tape_str_of("{\"n\":1,\"t\":0}");
	ask.extra = tape_str_of("{\"t\":2}");
	fills("{\"n\":{{max_tokens}},\"q\":{{prompt}},\"t\":9}", ask,
	    "{\"q\":\"a \\\"b\\\" {{x}}\",\"n\":1,\"t\":2}");
	ask = full(&in);
	spurns("{\"a\":{{prompts}}}", ask,
	    "the body template has {{prompts}}, which stands for nothing");
	spurns("{\"a\":{{prompt", ask, "the body template has {{ without }}");
	spurns("{\"a\":{{tokens}}}", ask,
	    "the body template has {{tokens}}, but the input has no token ids");
	spurns("[{{prompt}}]", ask,
	    "the body template, filled in: bad JSON at byte 0: an array where "
	    "an object should be");
	refuses("template", ask, TAPE_E_USAGE,
	    "--api template needs --body-template");
	in = tokens();
	fills("{\"ids\":{{tokens}}}", plain(&in), "{\"ids\":[1,22,333]}");
	spurns("{\"a\":{{prompt}}}", ask,
	    "the body template has {{prompt}}, but the input is no text");
	in = messages("[{\"role\":\"user\"}]");
	fills("{\"c\":{{messages}}}", plain(&in),
	    "{\"c\":[{\"role\":\"user\"}]}");
	in = blocks();
	fills("{\"q\":{{prompt}}}", plain(&in),
	    "{\"q\":\"gnu dog gnu eel cow gnu gnu eel ant cow\"}");
	refuses("raw", plain(&in), TAPE_E_USAGE,
	    "the raw API sends bodies that the trace has, and this request has "
	    "none");
	in = no_input();
	in.body = tape_str_of("any bytes");
	renders("raw", plain(&in), "any bytes", "a verbatim body");
}

static void
test_memory(void)
{
	struct tape_input in = text("hi");
	struct tape_api_ask ask = full(&in);

	ask.form = tape_str_of("{\"a\":{{messages}},\"b\":1}");
	ask.extra = tape_str_of("{\"t\\u006f\":{\"a\":2}}");
	fails_each("template", ask);
}

int
main(void)
{
	open_zoo();
	tape_api_decoder_init(&d, tape_api_at(0), true);
	test_pointers();
	test_answers();
	test_other_pointers();
	test_templates();
	test_memory();
	tape_api_decoder_release(&d);
	tape_vocab_set_release(&zoo);
	return done_testing();
}
