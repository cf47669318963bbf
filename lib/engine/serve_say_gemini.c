/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gemini's generateContent: whole answers, one after the other, with CRLF. */
#include "engine/serve_dialect.h"

#define ADD TAPE_SERVE_ADD

static void
begin(struct tape_buf *b, const struct tape_serve_text *t)
{
	(void)t;
	ADD(b, "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"");
}

static void
add_rest(
    struct tape_buf *b, const struct tape_serve_text *t, const char *finish)
{
	const struct tape_serve_usage *u = &t->usage;

	ADD(b, "\"}],\"role\":\"model\"},");
	if (finish != NULL) {
		ADD(b, "\"finishReason\":\"");
		(void)tape_buf_add_str(b, finish);
		ADD(b, "\",");
	}
	ADD(b, "\"index\":0}],\"usageMetadata\":{");
	tape_serve_add_count(b, "promptTokenCount", u->prompt_tokens);
	ADD(b, ",");
	if (u->cached_tokens > 0) {
		tape_serve_add_count(
		    b, "cachedContentTokenCount", u->cached_tokens);
		ADD(b, ",");
	}
	tape_serve_add_count(b, "candidatesTokenCount", u->output_tokens);
	ADD(b, ",");
	tape_serve_add_count(
	    b, "totalTokenCount", u->prompt_tokens + u->output_tokens);
	ADD(b, "},\"modelVersion\":");
	tape_serve_add_str(b, t->model);
	ADD(b, ",\"responseId\":\"");
	(void)tape_buf_add_str(b, t->id);
	ADD(b, "\"");
}

static void
say(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "data: ");
	begin(b, t);
}

static void
said(struct tape_buf *b, const struct tape_serve_text *t)
{
	add_rest(b, t, NULL);
}

static const char *
finish_of(const struct tape_serve_text *t)
{
	return t->finish[0] == 'l' ? "MAX_TOKENS" : "STOP";
}

static enum tape_serve_event
tail(struct tape_buf *b, const struct tape_serve_text *t, unsigned i)
{
	if (i > 0)
		return TAPE_SERVE_NO_EVENT;
	say(b, t);
	add_rest(b, t, finish_of(t));
	return TAPE_SERVE_JSON_EVENT;
}

static void
end(struct tape_buf *b, const struct tape_serve_text *t)
{
	add_rest(b, t, finish_of(t));
}

const struct tape_serve_dialect tape_serve_gemini = {
	.name = "gemini",
	.path = "/v1beta/models/{model}:generateContent",
	.stream_path = "/v1beta/models/{model}:streamGenerateContent",
	.id = "gem-",
	.type = "text/event-stream",
	.before = "data: ",
	.eol = "\r\n\r\n",
	.shape = { .input = TAPE_SERVE_MESSAGES,
	    .input_key = "contents",
	    .limit_keys = { "maxOutputTokens" },
	    .options_key = "generationConfig",
	    .streams = TAPE_SERVE_BY_PATH,
	    .usage = true },
	.say = say,
	.said = said,
	.tail = tail,
	.begin = begin,
	.end = end,
};
