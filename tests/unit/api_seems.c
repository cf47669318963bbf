/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which dialect recorded answers look like, by their first kilobyte. */
#include "api/api_seems.h"

#include "api/api.h"
#include "base/fdio.h"
#include "base/mem.h"
#include "unit/tap.h"

#define DIR "tests/fixtures/sse/"

static const struct {
	const char *file, *api;
} answers[] = {
	{ "openai-chat-basic-obfuscation.sse", "chat" },
	{ "groq-chat-llama-reads.sse", "chat" },
	{ "openai-chat-refusal.sse", "chat" },
	{ "openai-completions-basic.sse", "completions" },
	{ "vllm-completions-openai-client.sse", "completions" },
	{ "openai-responses-basic.sse", "responses" },
	{ "bedrock-mantle-responses-no-event-lines.sse", "responses" },
	{ "anthropic-messages-basic.sse", "messages" },
	{ "anthropic-messages-padded-data-ping.sse", "messages" },
	{ "cohere-v2-chat.sse", "cohere" },
	{ "gemini-native-crlf-no-done.sse", "gemini" },
	{ "gemini-native-array.json", "gemini" },
	{ "tgi-generate-stream-no-space.sse", "huggingface_generate" },
	{ "triton-trtllm-generate-stream.sse", "triton_generate" },
	{ "ollama-native-chat.ndjson", "ollama" },
	{ "ollama-native-generate.ndjson", "ollama_generate" },
	{ "mcp-streamable-http-crlf.sse", "" },
	{ "replicate-multiline-data-id-comment.sse", "" },
	{ "anthropic-error-overloaded.sse", "" },
};

static void
is_like(const char *file, const char *want)
{
	struct tape_err err = { 0 };
	char path[128], *text = NULL;
	const char *got;
	size_t len = 0;

	(void)snprintf(path, sizeof(path), DIR "%s", file);
	is_int(tape_fdio_slurp(path, TAPE_CAP_LINE, &text, &len, &err), TAPE_OK,
	    "%s", file);
	if (text == NULL)
		return;
	got = tape_api_seems(tape_str_make(text, len < 1023 ? len : 1023));
	is_str(got == NULL ? "" : got, want, "is of %s",
	    want[0] == '\0' ? "none" : want);
	ok(got == NULL || tape_api_find(tape_str_of(got)) != NULL,
	    "which is a dialect");
	tape_mem_free(text);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		is_like(answers[i].file, answers[i].api);
	is_str(tape_api_seems(tape_str_make("", 0)) == NULL ? "" : "?", "",
	    "nothing is like nothing");
	return done_testing();
}
