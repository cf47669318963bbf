/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recorded bodies with fields replaced, added, and taken out. */
#include "api/api.h"

#include "base/err.h"
#include "base/mem.h"
#include "unit/tap.h"

static struct tape_err err;

/* The body, changed, by way of rendering. */
static void
becomes(const char *body, const char *extra, const char *model,
    const char *drop, const char *want, const char *what)
{
	const char *names[4];
	char words[64];
	struct tape_input in = { .body = tape_str_of(body) };
	struct tape_api_ask ask = { .input = &in,
		.model = tape_str_of(model == NULL ? "served" : model),
		.model_given = model != NULL,
		.stream = true,
		.usage = true,
		.output_tokens = 9,
		.drop = names };
	struct tape_buf out;
	enum tape_status st;

	(void)snprintf(words, sizeof(words), "%s", drop);
	for (char *w = words; *w != '\0';) {
		char *end = w + strcspn(w, " ");

		names[ask.drop_n++] = w;
		w = *end == '\0' ? end : end + 1;
		*end = '\0';
	}
	if (extra != NULL)
		ask.extra = tape_str_of(extra);
	tape_buf_init(&out, 1 << 16);
	(void)tape_buf_add_str(&out, "<");
	tape_err_clear(&err);
	st = tape_api_render(
	    tape_api_find(tape_str_of("chat")), &ask, &out, &err);
	is_int(st, want[0] == '<' ? TAPE_OK : TAPE_E_USAGE, "%s: status", what);
	if (st == TAPE_OK)
		is_str(out.data, want, "%s", what);
	else
		is_str(err.text, want, "%s", what);
	if (st != TAPE_OK)
		is_str(out.data, "<", "%s: nothing is left", what);
	tape_buf_release(&out);
}

#define BODY                                                                   \
 "{ \"model\" : \"old\",\n \"a,\\\"b\": [1, 2.50], \"n\":{\"model\":1} }\n"

static void
test_changes(void)
{
	becomes(BODY, NULL, NULL, "", "<" BODY, "as it is");
	becomes(BODY, NULL, "new", "",
	    "<{ \"model\" : \"new\",\n \"a,\\\"b\": [1, 2.50], "
	    "\"n\":{\"model\":1} }\n",
	    "another model, of the top level only");
	becomes("{\"x\":1}", NULL, "new", "", "<{\"x\":1}",
	    "a body without a model gets none");
	becomes(BODY, "{\"n\":[],\"z\":1e3}", NULL, "",
	    "<{ \"model\" : \"old\",\n \"a,\\\"b\": [1, 2.50], \"n\":[]"
	    ",\"z\":1e3 }\n",
	    "replaced where it stands, or added at the end");
	becomes(BODY, "{\"model\":\"x\"}", "new", "",
	    "<{ \"model\" : \"x\",\n \"a,\\\"b\": [1, 2.50], "
	    "\"n\":{\"model\":1} }\n",
	    "extra wins over the model");
	becomes("{\"a\":1,\"a\":2}", "{\"a\":3}", NULL, "",
	    "<{\"a\":3,\"a\":3}", "a field that is there twice");
	becomes("{}", "{\"a\":3}", NULL, "", "<{\"a\":3}", "into nothing");
	becomes(" {} ", "{\"a\":3}", NULL, "b",
	    "<"
	    " {\"a\":3} ",
	    "with white space around");
}

static void
test_drops(void)
{
	becomes(BODY, NULL, NULL, "model",
	    "<{\n \"a,\\\"b\": [1, 2.50], \"n\":{\"model\":1} }\n",
	    "the first goes, with its comma");
	becomes(BODY, NULL, NULL, "a,\"b",
	    "<{ \"model\" : \"old\", \"n\":{\"model\":1} }\n",
	    "one in the middle, whose name has escapes");
	becomes(BODY, NULL, NULL, "n",
	    "<{ \"model\" : \"old\",\n \"a,\\\"b\": [1, 2.50] }\n", "the last");
	becomes(BODY, NULL, NULL, "n model a,\"b", "<{ }\n", "all");
	becomes(BODY, "{\"q\":0}", NULL, "n model a,\"b", "<{\"q\":0 }\n",
	    "all, and one is added");
	becomes(BODY, NULL, NULL, "nothing", "<" BODY, "none of that name");
	becomes(BODY, "{\"n\":7}", NULL, "n model",
	    "<{\n \"a,\\\"b\": [1, 2.50], \"n\":7 }\n",
	    "what extra has does not go");
}

static void
test_refusals(void)
{
	becomes("[1]", NULL, "m", "",
	    "the recorded body is no JSON object, so its fields cannot be "
	    "changed: bad JSON at byte 0: an array where an object should be",
	    "an array");
	becomes("{\"a\":1} x", NULL, NULL, "a",
	    "the recorded body is no JSON object, so its fields cannot be "
	    "changed: bad JSON at byte 8: more after the value",
	    "more behind it");
	becomes("{\"a\":1}", "{\"a\":1,\"a\":2}", NULL, "",
	    "extra fields of the request body: bad JSON at byte 7: key twice "
	    "in one object",
	    "extra with a key twice");
}

/* Generated bodies lose fields, too. */
static void
test_generated(void)
{
	static const char *const drop[] = { "stream_options", "seed", "n" };
	struct tape_input in = { .text = tape_str_of("hi") };
	struct tape_api_ask ask = { .input = &in,
		.stream = true,
		.usage = true,
		.output_tokens = 5,
		.params = tape_str_of("{\"seed\":1,\"top_p\":0.5}"),
		.extra = tape_str_of("{\"n\":2}"),
		.drop = drop,
		.drop_n = 3 };
	struct tape_buf out;

	tape_buf_init(&out, 1 << 16);
	is_int(tape_api_render(
		   tape_api_find(tape_str_of("chat")), &ask, &out, &err),
	    TAPE_OK, "rendered");
	is_str(out.data,
	    "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],"
	    "\"max_tokens\":5,\"stream\":true,\"top_p\":0.5,\"n\":2}",
	    "of the dialect's and the params, but not of extra");
	tape_buf_release(&out);
}

static void
test_memory(void)
{
	struct tape_input in = { .body = tape_str_of(BODY) };
	struct tape_api_ask ask = { .input = &in,
		.model = tape_str_of("new"),
		.model_given = true,
		.extra = tape_str_of("{\"z\":1,\"n\":2}") };
	enum tape_status st = TAPE_E_NOMEM;

	for (uint64_t n = 1; n < 100 && st == TAPE_E_NOMEM; n++) {
		struct tape_buf out;

		tape_buf_init(&out, 1 << 16);
		tape_err_clear(&err);
		(void)tape_mem_fail_at(n);
		st = tape_api_render(
		    tape_api_find(tape_str_of("chat")), &ask, &out, &err);
		(void)tape_mem_fail_at(0);
		if (st != TAPE_OK && st != TAPE_E_NOMEM)
			is_int(st, TAPE_E_NOMEM, "allocation %d", (int)n);
		tape_buf_release(&out);
	}
	is_int(st, TAPE_OK, "changed when memory is there");
}

int
main(void)
{
	test_changes();
	test_drops();
	test_refusals();
	test_generated();
	test_memory();
	return done_testing();
}
