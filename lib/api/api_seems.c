/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api_seems.h"

#include <string.h>

/* What stands in the first events of each, and together in no other's. */
static const struct {
	const char *api;
	const char *one, *other;
} looks[] = {
	{ "chat", "\"chat.completion", "\"choices\"" },
	{ "completions", "\"text_completion\"", "\"choices\"" },
	{ "responses", "\"type\"", "\"response.created\"" },
	{ "messages", "\"type\"", "\"message_start\"" },
	{ "cohere", "\"type\"", "\"message-start\"" },
	{ "gemini", "\"candidates\"", "\"content\"" },
	{ "huggingface_generate", "\"token\"", "\"generated_text\"" },
	{ "sglang", "\"text\"", "\"meta_info\"" },
	{ "llamacpp", "\"content\"", "\"tokens_predicted\"" },
	{ "triton_generate", "\"text_output\"", "\"model_name\"" },
	{ "ollama", "\"message\"", "\"done\"" },
	{ "ollama_generate", "\"response\"", "\"done\"" },
	{ "bedrock", ":event-type", "messageStart" },
};

static bool
has(struct tape_str text, const char *word)
{
	return memmem(text.p, text.len, word, strlen(word)) != NULL;
}

const char *
tape_api_seems(struct tape_str begin)
{
	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++)
		if (has(begin, looks[i].one) && has(begin, looks[i].other))
			return looks[i].api;
	return NULL;
}
