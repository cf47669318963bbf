/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The decoders against the oracle: events as recorded, and trees grown from
 * them at random, so that every member turns up everywhere with every type.
 */
#include "unit/api_oracle.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "codec/framing.h"
#include "unit/tap.h"

#include <stdlib.h>

#define DIR    "tests/fixtures/sse/"
#define ROUNDS 12000 /* of growing, each dialect */
#define POOL   4000

static const struct {
	const char *api;
	const char *files[4];
} recorded[] = {
	{ "chat", { "openai-chat-n3-interleaved.sse",
		      "mistral-chat-thinking-list-content.sse",
		      "groq-chat-x-groq-usage-twice.sse",
		      "openai-chat-tool-call.sse" } },
	{ "completions", { "openai-completions-basic.sse" } },
	{ "responses", { "openai-responses-basic.sse",
			   "openai-responses-reasoning-summary.sse",
			   "bedrock-mantle-responses-no-event-lines.sse" } },
	{ "messages", { "anthropic-messages-thinking.sse",
			  "anthropic-messages-tool-use.sse",
			  "anthropic-error-overloaded.sse" } },
	{ "gemini", { "gemini-native-crlf-no-done.sse",
			"vertex-gemini-array-reads.json" } },
	{ "cohere", { "cohere-v2-chat.sse" } },
};

/* Shapes that no recording has. */
static const struct {
	const char *api;
	const char *json;
} made[] = {
	{ "chat",
	    "{\"choices\":[{\"delta\":{\"reasoning\":\"a\","
	    "\"reasoning_content\":\"a\",\"refusal\":\"r\",\"audio\":"
	    "{\"data\":\"d\",\"transcript\":\"t\"}},\"index\":1},{\"delta\":"
	    "{\"function_call\":{\"name\":\"n\"}}}]}" },
	{ "chat", "{\"choices\":[{\"error\":{\"message\":\"m\"},\"delta\":{}}],"
		  "\"error\":null}" },
	{ "chat", "{\"object\":\"error\",\"message\":\"m\"}" },
	{ "gemini", "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":"
		    "\"t\\\\\",\"thought\":false},{\"text\":\"]\\\"}\"}]}}]}" },
	{ "messages", "{\"type\":\"message\",\"content\":[{\"type\":\"text\","
		      "\"text\":\"a\"},{\"type\":\"tool_use\",\"id\":\"t\","
		      "\"name\":\"f\",\"input\":{\"x\":1}}],\"stop_reason\":"
		      "\"end_turn\",\"usage\":{\"input_tokens\":1}}" },
	{ "responses",
	    "{\"object\":\"response\",\"status\":\"incomplete\","
	    "\"incomplete_details\":{\"reason\":\"max_output_tokens\"},"
	    "\"output\":[{\"type\":\"reasoning\",\"summary\":[{\"text\":"
	    "\"s\"}],\"content\":[{\"text\":\"r\"}]},{\"type\":\"message\","
	    "\"content\":[{\"type\":\"refusal\",\"refusal\":\"no\"}]},"
	    "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\","
	    "\"arguments\":\"{}\"}],\"usage\":{},\"error\":null}" },
	{ "responses", "{\"type\":\"response.failed\",\"response\":{\"status\":"
		       "\"failed\",\"error\":{\"message\":\"m\"}}}" },
	{ "responses", "{\"type\":\"error\",\"message\":\"m\"}" },
	{ "gemini",
	    "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"t\","
	    "\"thought\":true},{\"functionCall\":{\"name\":\"f\",\"args\":"
	    "{\"a\":[1]}}},{\"functionCall\":{\"id\":\"i\",\"name\":\"g\"}},"
	    "{\"executableCode\":{\"code\":\"c\"}},{\"inlineData\":"
	    "{\"mimeType\":\"audio/L16\",\"data\":\"AA\"}}]},\"index\":1,"
	    "\"finishReason\":2}],\"promptFeedback\":{\"blockReason\":"
	    "\"SAFETY\"},\"error\":{\"message\":\"m\"}}" },
	{ "cohere",
	    "{\"delta\":{\"message\":{\"content\":{\"thinking\":\"t\"},"
	    "\"tool_plan\":\"p\",\"tool_calls\":{\"id\":\"i\",\"function\":"
	    "{\"name\":\"f\",\"arguments\":\"{\"}}},\"finish_reason\":"
	    "\"ERROR\",\"error\":\"e\"}}" },
	{ "cohere",
	    "{\"message\":{\"content\":[{\"text\":\"t\"}],\"tool_calls\":"
	    "[{\"id\":\"i\",\"function\":{\"name\":\"f\",\"arguments\":{}}}]},"
	    "\"finish_reason\":\"COMPLETE\",\"usage\":{\"tokens\":{}}}" },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct tape_err err;
static const struct tape_api *api;
static cJSON *pool[POOL];
static size_t pool_n;
static uint32_t state;
static int compared, differing;

static uint32_t
draw(uint32_t below)
{
	state = state * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)state * below) >> 32);
}

/* One event, as one of a stream and as a whole body. */
static void
compare(const char *text)
{
	cJSON *root = cJSON_Parse(text);
	const struct tape_str data = tape_str_of(text);
	struct tape_api_decoder d;
	struct tape_api_event ev;
	struct oracle r;

	for (int body = 0; body < 2 && root != NULL; body++) {
		const char *what;

		(void)oracle_read(&r, api->name, root, body == 1);
		tape_api_decoder_init(&d, api, true);
		if ((body == 1 ? tape_api_decode_body(&d, data, &ev, &err)
			       : tape_api_decode(&d, tape_str_of(""), data, &ev,
				     &err)) != TAPE_OK)
			what = "status";
		else
			what = oracle_differs(&r, &d, &ev);
		compared++;
		if (what != NULL && differing++ < 5)
			printf("# %s, %s: %s differs in %s\n", api->name,
			    body ? "body" : "event", what, text);
		tape_api_decoder_release(&d);
	}
	cJSON_Delete(root);
}

static enum tape_status
on_event(void *user, const struct tape_sse_event *ev, struct tape_err *e)
{
	char *text = strndup(ev->data, ev->len);
	cJSON *root = text != NULL ? cJSON_Parse(text) : NULL;

	(void)user;
	(void)e;
	if (root != NULL)
		compare(text);
	if (root != NULL && pool_n < POOL)
		pool[pool_n++] = root;
	else
		cJSON_Delete(root);
	free(text);
	return TAPE_OK;
}

static void
load(const char *file)
{
	static const struct tape_sse_calls calls = { on_event, NULL, NULL };
	struct tape_framer f;
	char path[256], *text = NULL;
	size_t len = 0;

	(void)snprintf(path, sizeof(path), "%s%s", DIR, file);
	if (tape_fdio_slurp(path, TAPE_CAP_LINE, &text, &len, &err) != TAPE_OK)
		return;
	tape_framer_init(&f, &calls, NULL);
	tape_framer_clear(&f, tape_framing_guess(api->framing, text[0]));
	is_int(tape_framer_feed(&f, text, len, &err), TAPE_OK, "%s", file);
	tape_framer_release(&f);
	tape_mem_free(text);
}

/* Some node of the tree, and its parent. */
static cJSON *
pick(cJSON *root, cJSON **parent)
{
	cJSON *node = root;

	*parent = NULL;
	while (node->child != NULL && (node == root || draw(4) > 0)) {
		int n = cJSON_GetArraySize(node);

		*parent = node;
		node = cJSON_GetArrayItem(node, (int)draw((uint32_t)n));
	}
	return node;
}

static cJSON *
any_value(void)
{
	static const char *const words[] = { "response.output_text.delta",
		"response.reasoning_text.delta", "response.refusal.delta",
		"response.reasoning_summary_text.delta",
		"response.function_call_arguments.delta",
		"response.custom_tool_call_input.delta",
		"response.mcp_call_arguments.delta",
		"response.code_interpreter_call_code.delta",
		"response.audio.delta", "response.audio.transcript.delta",
		"response.reasoning.delta", "response.reasoning_summary.delta",
		"response.output_audio.delta",
		"response.output_audio_transcript.delta", "response.completed",
		"response.incomplete", "response.failed", "response.cancelled",
		"response.output_item.added", "failed", "cancelled", "error",
		"message_delta", "message_stop", "message-end", "ERROR",
		"reasoning", "audio/wav", "image/png" };
	cJSON *parent;

	switch (draw(11)) {
	case 9:
	case 10:
		return cJSON_CreateString(words[draw(COUNT(words))]);
	case 0:
		return cJSON_CreateNull();
	case 1:
		return cJSON_CreateBool(draw(2) == 0);
	case 2:
		return cJSON_CreateNumber((double)draw(8) - 1);
	case 3:
		return cJSON_CreateString("");
	case 4:
		return cJSON_CreateString("a\"\n\xc3\xa9 z");
	case 5:
		return cJSON_CreateArray();
	case 6:
		return cJSON_CreateObject();
	default:
		return cJSON_Duplicate(
		    pick(pool[draw((uint32_t)pool_n)], &parent), true);
	}
}

/* A change somewhere: another value, one less, or a name from elsewhere. */
static void
change(cJSON *root)
{
	cJSON *parent, *from, *node = pick(root, &parent), *value;
	char name[128];

	if (parent == NULL)
		return;
	if (draw(4) == 0) {
		cJSON_Delete(cJSON_DetachItemViaPointer(parent, node));
		return;
	}
	value = any_value();
	if (!cJSON_IsObject(parent)) {
		(void)cJSON_ReplaceItemViaPointer(parent, node, value);
		return;
	}
	node = pick(pool[draw((uint32_t)pool_n)], &from);
	(void)snprintf(name, sizeof(name), "%s",
	    node->string != NULL ? node->string : "text");
	cJSON_DeleteItemFromObjectCaseSensitive(parent, name);
	(void)cJSON_AddItemToObject(parent, name, value);
}

static void
grow(uint32_t seed)
{
	cJSON *root;
	char *text;

	state = seed;
	root = cJSON_Duplicate(pool[draw((uint32_t)pool_n)], true);
	for (uint32_t n = draw(6) + 1; n > 0; n--)
		change(root);
	text = draw(4) == 0 ? cJSON_Print(root) : cJSON_PrintUnformatted(root);
	if (text != NULL && strlen(text) < 60000)
		compare(text);
	cJSON_free(text);
	cJSON_Delete(root);
}

static void
test_api(size_t which)
{
	const char *const *files = recorded[which].files;

	api = tape_api_find(tape_str_of(recorded[which].api));
	pool_n = 0;
	compared = differing = 0;
	for (size_t i = 0; i < COUNT(recorded[which].files); i++)
		if (files[i] != NULL)
			load(files[i]);
	for (size_t i = 0; i < COUNT(made); i++) {
		if (strcmp(made[i].api, api->name) != 0)
			continue;
		compare(made[i].json);
		pool[pool_n++] = cJSON_Parse(made[i].json);
	}
	ok(pool_n > 0 && differing == 0, "%s: as recorded", api->name);
	for (uint32_t seed = 1; seed <= ROUNDS; seed++)
		grow(seed);
	is_int(differing, 0, "%s: all of %d alike", api->name, compared);
	for (size_t i = 0; i < pool_n; i++)
		cJSON_Delete(pool[i]);
}

int
main(void)
{
	for (size_t i = 0; i < COUNT(recorded); i++)
		test_api(i);
	return done_testing();
}
