/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Request bodies of the own dialects of inference servers. */
#include "unit/api_asks.h"

static void
test_hf(void)
{
	struct tape_input in = text("hi");
	struct tape_api_ask ask = full(&in);

	renders("huggingface_generate", plain(&in), "{\"inputs\":\"hi\"}",
	    "no parameters");
	renders("huggingface_generate", ask,
	    "{\"inputs\":\"hi\",\"parameters\":{\"max_new_tokens\":64,"
	    "\"details\":true}}",
	    "all that replay sets");
	ask.params = tape_str_of("{\"temperature\":0.5,\"seed\":1,\"stop\":"
				 "[\"x\"],\"parameters\":{\"top_k\":3}}");
	ask.extra = tape_str_of("{\"seed\":2,\"parameters\":{\"details\":false,"
				"\"top_k\":4},\"stream\":true}");
	renders("huggingface_generate", ask,
	    "{\"inputs\":\"hi\",\"parameters\":{\"max_new_tokens\":64,"
	    "\"temperature\":0.5,\"stop\":[\"x\"],\"seed\":2,\"details\":false,"
	    "\"top_k\":4},\"stream\":true}",
	    "parameters from everywhere");
	in = blocks();
	renders("huggingface_generate", plain(&in),
	    "{\"inputs\":\"gnu dog gnu eel cow gnu gnu eel ant cow\"}",
	    "blocks");
	in = tokens();
	refuses("huggingface_generate", plain(&in), TAPE_E_USAGE,
	    "the huggingface_generate API takes no token ids");
	in = messages("[]");
	refuses("huggingface_generate", plain(&in), TAPE_E_USAGE,
	    "the huggingface_generate API takes no messages: it has no "
	    "template for them");
	in = text("hi");
	ask = full(&in);
	ask.extra = tape_str_of("{\"parameters\":3}");
	refuses("huggingface_generate", ask, TAPE_E_USAGE,
	    "\"parameters\" of the request body: bad JSON at byte 0: an "
	    "integer where an object should be");
}

static void
test_ollama(void)
{
	struct tape_input in = text("hi");
	struct tape_api_ask ask = full(&in);

	renders("ollama", ask,
	    "{\"model\":\"m\\\"1\",\"messages\":[{\"role\":\"user\","
	    "\"content\":\"hi\"}],\"stream\":true,\"options\":{"
	    "\"num_predict\":64}}",
	    "chat");
	ask = plain(&in);
	ask.params = tape_str_of("{\"temperature\":0,\"think\":false}");
	renders("ollama_generate", ask,
	    "{\"prompt\":\"hi\",\"stream\":false,\"options\":{\"temperature\":"
	    "0},\"think\":false}",
	    "generate, not streamed");
	in = messages("[{\"role\":\"user\",\"content\":\"x\"}]");
	renders("ollama", plain(&in),
	    "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],"
	    "\"stream\":false}",
	    "messages");
	refuses("ollama_generate", plain(&in), TAPE_E_USAGE,
	    "the ollama_generate API takes no messages: it has no template for "
	    "them");
	in = tokens();
	refuses("ollama", plain(&in), TAPE_E_USAGE,
	    "the ollama API takes no token ids: use completions");
}

static void
test_others(void)
{
	struct tape_input in = text("hi");
	struct tape_api_ask ask = full(&in);

	renders("llamacpp", ask,
	    "{\"model\":\"m\\\"1\",\"prompt\":\"hi\",\"n_predict\":64,"
	    "\"stream\":true}",
	    "text");
	ask.params = tape_str_of("{\"ignore_eos\":true}");
	renders("sglang", ask,
	    "{\"text\":\"hi\",\"sampling_params\":{\"max_new_tokens\":64,"
	    "\"ignore_eos\":true},\"stream\":true}",
	    "text");
	ask = plain(&in);
	ask.params = tape_str_of("{\"temperature\":0,\"lora_path\":\"a\"}");
	renders("sglang", ask,
	    "{\"text\":\"hi\",\"sampling_params\":{\"temperature\":0},"
	    "\"lora_path\":\"a\"}",
	    "what is a sampling parameter, and what is not");
	renders("triton_generate", full(&in),
	    "{\"text_input\":\"hi\",\"max_tokens\":64,\"stream\":true}",
	    "text");
	in = tokens();
	renders("llamacpp", plain(&in), "{\"prompt\":[1,22,333]}", "tokens");
	renders("sglang", plain(&in), "{\"input_ids\":[1,22,333]}", "tokens");
	refuses("triton_generate", plain(&in), TAPE_E_USAGE,
	    "the triton_generate API takes no token ids");
	path_is("triton_generate", &in, "/v2/models/o/a/generate");
	path_is("huggingface_generate", &in, "/generate");
	in = messages("[]");
	refuses("llamacpp", plain(&in), TAPE_E_USAGE,
	    "the llamacpp API takes no messages: it has no template for them");
}

static void
test_memory(void)
{
	struct tape_input in = text("hi");
	struct tape_api_ask ask = full(&in);

	ask.params = tape_str_of("{\"parameters\":{\"a\":1},\"t\\u006f\":2}");
	ask.extra = tape_str_of("{\"parameters\":{\"a\":2}}");
	fails_each("huggingface_generate", ask);
}

int
main(void)
{
	open_zoo();
	test_hf();
	test_ollama();
	test_others();
	test_memory();
	tape_vocab_set_release(&zoo);
	return done_testing();
}
