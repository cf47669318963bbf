/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Endpoints that answer with one body and no tokens. */
#include "unit/api_show.h"

#include "unit/api_asks.h"

/* The body is of the shape, and complete. */
static void
completes(const char *api, const char *body, int64_t input)
{
	start(api, api);
	gives_body(body, 'd', 0);
	ok(d.done && d.api->tokenless, "complete, without tokens");
	is_int(d.tokens.input, input, "input tokens");
	is_int(d.tokens.output, TAPE_ABSENT_I64, "no output tokens");
}

/* Bodies that no server of the dialect sends. */
static void
denies(const char *api, const char *wrong)
{
	static const char *const never[] = { "", "{}", "7", "{\"data\":[",
		"{\"data\":{},\"content\":7}",
		"{\"rankings\":1,\"results\":null,\"outputs\":[]}", "[]",
		"<html>" };

	start(api, "what is none of its answers");
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++) {
		gives_body(never[i], 'o', 0);
		ok(ev.malformed && !d.done, "is malformed");
	}
	gives_body(wrong, 'o', 0);
	ok(ev.malformed, "so is another API's");
	gives_body("{\"error\":{\"message\":\"no such model\"}}", 'e', 0);
	is_str(d.error.data, "no such model", "an error");
}

static void
test_answers(void)
{
	completes("embeddings",
	    "{\"object\":\"list\",\"data\":[{\"index\":0,\"embedding\":"
	    "[0.1,-2]}],\"usage\":{\"prompt_tokens\":4,\"total_tokens\":4}}",
	    4);
	completes("chat_embeddings", "{\"data\":[{\"embedding\":\"AAA=\"}]}",
	    TAPE_ABSENT_I64);
	completes("nim_embeddings",
	    "{\"data\":[{}],\"usage\":{\"prompt_tokens\":2}}", 2);
	completes("nim_rankings",
	    "{\"rankings\":[{\"index\":1,\"logit\":-3.5}],\"usage\":"
	    "{\"prompt_tokens\":9,\"total_tokens\":9}}",
	    9);
	completes("cohere_rankings",
	    "{\"results\":[{\"index\":0,\"relevance_score\":0.5}],\"meta\":"
	    "{\"billed_units\":{\"search_units\":1},\"tokens\":"
	    "{\"input_tokens\":6}}}",
	    6);
	completes("hf_tei_rankings", " [{\"index\":0,\"score\":0.9}]\n",
	    TAPE_ABSENT_I64);
	completes("image_generation",
	    "{\"created\":1,\"data\":[{\"b64_json\":\"AAAA\"}]}",
	    TAPE_ABSENT_I64);
	start("image_generation", "an image that was counted");
	gives_body("{\"data\":[{\"url\":\"u\"}],\"usage\":{\"input_tokens\":3,"
		   "\"output_tokens\":1056}}",
	    'd', 0);
	is_int(d.tokens.output, 1056, "its tokens");
	denies("embeddings", "{\"rankings\":[1]}");
	denies("cohere_rankings", "{\"data\":[1]}");
	denies("hf_tei_rankings", "{\"data\":[1]}");
	denies("solido_rag", "{\"data\":[1]}");
	denies("kserve_infer", "{\"data\":[1]}");
}

static void
test_texts(void)
{
	start("kserve_infer", "KServe");
	gives_body("{\"model_name\":\"m\",\"outputs\":[{\"name\":\"x\","
		   "\"data\":[\"no\"]},{\"name\":\"text_output\",\"shape\":[1],"
		   "\"datatype\":\"BYTES\",\"data\":[\"a\\nb\"]}]}",
	    'c', 3);
	text_is("a\nb");
	gives_body(
	    "{\"outputs\":[{\"name\":\"scores\",\"data\":[1]}]}", 'd', 0);
	gives_body("{\"outputs\":[1]}", 'o', 0);
	ok(ev.malformed, "which is malformed");
	start("solido_rag", "Solido");
	gives_body("{\"content\":\"abc\",\"sources\":[]}", 'c', 3);
	text_is("abc");
	ok(d.done, "complete");
}

#define PASSAGES "{\"passages\":[\"p \\\"1\\\"\", \"p2\"],\"top_n\":1}"

static void
test_embeddings(void)
{
	struct tape_input in = text("hi");
	struct tape_api_ask ask = full(&in);

	renders("embeddings", ask, "{\"model\":\"m\\\"1\",\"input\":\"hi\"}",
	    "a text; a length means nothing");
	renders("nim_embeddings", ask,
	    "{\"model\":\"m\\\"1\",\"input\":[\"hi\"],\"input_type\":"
	    "\"query\"}",
	    "a text");
	ask.params =
	    tape_str_of("{\"input\":[\"a\",\"b\"],\"input_type\":\"passage\"}");
	renders("nim_embeddings", ask,
	    "{\"model\":\"m\\\"1\",\"input\":[\"a\",\"b\"],\"input_type\":"
	    "\"passage\"}",
	    "texts of params");
	renders("chat_embeddings", plain(&in),
	    "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}",
	    "a text");
	in = tokens();
	renders("embeddings", plain(&in), "{\"input\":[1,22,333]}", "tokens");
	refuses("nim_embeddings", plain(&in), TAPE_E_USAGE,
	    "the nim_embeddings API takes text alone");
}

static void
test_rankings(void)
{
	struct tape_input in = text("q");
	struct tape_api_ask ask = full(&in);

	refuses("nim_rankings", ask, TAPE_E_USAGE,
	    "the nim_rankings API needs \"passages\" in params, a list of "
	    "texts");
	ask.params = tape_str_of(PASSAGES);
	renders("nim_rankings", ask,
	    "{\"model\":\"m\\\"1\",\"query\":{\"text\":\"q\"},\"passages\":"
	    "[{\"text\":\"p \\\"1\\\"\"},{\"text\":\"p2\"}],\"top_n\":1}",
	    "passages");
	renders("cohere_rankings", ask,
	    "{\"model\":\"m\\\"1\",\"query\":\"q\",\"documents\":"
	    "[\"p \\\"1\\\"\",\"p2\"],\"top_n\":1}",
	    "passages");
	renders("hf_tei_rankings", ask,
	    "{\"query\":\"q\",\"texts\":[\"p \\\"1\\\"\",\"p2\"],\"top_n\":1}",
	    "passages");
	ask.extra = tape_str_of("{\"passages\":[\"x\"],\"model\":\"n\"}");
	renders("cohere_rankings", ask,
	    "{\"query\":\"q\",\"documents\":[\"x\"],\"top_n\":1,\"model\":"
	    "\"n\"}",
	    "those of extra win");
	ask.extra = tape_str_of("{\"passages\":[1]}");
	refuses("cohere_rankings", ask, TAPE_E_USAGE,
	    "\"passages\" of the request has something else than texts");
	ask.params = tape_str_of("{\"documents\":[{\"text\":\"x\"}]}");
	ask.extra = tape_str_of(NULL);
	renders("cohere_rankings", ask,
	    "{\"model\":\"m\\\"1\",\"query\":\"q\",\"documents\":"
	    "[{\"text\":\"x\"}]}",
	    "or documents in the server's own form");
}

static void
test_others(void)
{
	struct tape_input in = text("hi");

	renders("kserve_infer", full(&in),
	    "{\"inputs\":[{\"name\":\"text_input\",\"shape\":[1,1],"
	    "\"datatype\":\"BYTES\",\"data\":[\"hi\"]},{\"name\":"
	    "\"max_tokens\",\"shape\":[1,1],\"datatype\":\"INT32\",\"data\":"
	    "[64]}]}",
	    "tensors");
	path_is("kserve_infer", &in, "/v2/models/o/a/infer");
	renders("image_generation", full(&in),
	    "{\"model\":\"m\\\"1\",\"prompt\":\"hi\"}", "a prompt");
	renders("solido_rag", full(&in),
	    "{\"query\":[\"hi\"],\"filters\":{\"family\":\"Solido\",\"tool\":"
	    "\"SDE\"},\"inference_model\":\"m\\\"1\"}",
	    "a prompt");
	in = messages("[]");
	refuses("kserve_infer", full(&in), TAPE_E_USAGE,
	    "the kserve_infer API takes text alone");
	refuses("image_generation", full(&in), TAPE_E_USAGE,
	    "the image_generation API takes text alone");
}

static void
test_memory(void)
{
	struct tape_input in = text("hi");
	struct tape_api_ask ask = full(&in);

	ask.params = tape_str_of(PASSAGES);
	fails_each("nim_rankings", ask);
}

int
main(void)
{
	open_zoo();
	tape_api_decoder_init(&d, tape_api_at(0), true);
	test_answers();
	test_texts();
	test_embeddings();
	test_rankings();
	test_others();
	test_memory();
	tape_api_decoder_release(&d);
	tape_vocab_set_release(&zoo);
	return done_testing();
}
