/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages, as Anthropic's API has them. */
#include "engine/serve_dialect.h"

#define ADD TAPE_SERVE_ADD

static void
add_usage(struct tape_buf *b, const struct tape_serve_usage *u)
{
	ADD(b, "\"usage\":{");
	/* what is cached is not among the others there */
	tape_serve_add_count(
	    b, "input_tokens", u->prompt_tokens - u->cached_tokens);
	ADD(b, ",\"cache_creation_input_tokens\":0,");
	tape_serve_add_count(b, "cache_read_input_tokens", u->cached_tokens);
	ADD(b, ",");
	tape_serve_add_count(b, "output_tokens", u->output_tokens);
	ADD(b, "}");
}

/* Up to its content. */
static void
begin_message(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "{\"id\":\"");
	(void)tape_buf_add_str(b, t->id);
	ADD(b, "\",\"type\":\"message\",\"role\":\"assistant\",\"model\":");
	tape_serve_add_str(b, t->model);
	ADD(b, ",\"content\":[");
}

static void
add_stop(struct tape_buf *b, const struct tape_serve_text *t)
{
	if (t->finish[0] == 'l')
		ADD(b, "\"stop_reason\":\"max_tokens\"");
	else
		ADD(b, "\"stop_reason\":\"end_turn\"");
	ADD(b, ",\"stop_sequence\":null");
}

static enum tape_serve_event
lead(struct tape_buf *b, const struct tape_serve_text *t, unsigned i)
{
	if (i == 0) {
		ADD(b, "event: message_start\n"
		       "data: {\"type\":\"message_start\",\"message\":");
		begin_message(b, t);
		ADD(b, "],\"stop_reason\":null,\"stop_sequence\":null,");
		add_usage(b, &t->usage);
		ADD(b, "}");
		return TAPE_SERVE_JSON_EVENT;
	}
	if (i == 1) {
		ADD(b, "event: content_block_start\n"
		       "data: {\"type\":\"content_block_start\",\"index\":0,"
		       "\"content_block\":{\"type\":\"text\",\"text\":\"\"}");
		return TAPE_SERVE_JSON_EVENT;
	}
	if (i == 2) {
		ADD(b, "event: ping\ndata: {\"type\":\"ping\"}\n\n");
		return TAPE_SERVE_OWN_EVENT;
	}
	return TAPE_SERVE_NO_EVENT;
}

static void
say(struct tape_buf *b, const struct tape_serve_text *t)
{
	(void)t;
	ADD(b, "event: content_block_delta\n"
	       "data: {\"type\":\"content_block_delta\",\"index\":0,"
	       "\"delta\":{\"type\":\"text_delta\",\"text\":\"");
}

static void
said(struct tape_buf *b, const struct tape_serve_text *t)
{
	(void)t;
	ADD(b, "\"}");
}

static enum tape_serve_event
tail(struct tape_buf *b, const struct tape_serve_text *t, unsigned i)
{
	if (i == 0)
		ADD(b, "event: content_block_stop\n"
		       "data: {\"type\":\"content_block_stop\",\"index\":0");
	else if (i == 1) {
		ADD(b, "event: message_delta\n"
		       "data: {\"type\":\"message_delta\",\"delta\":{");
		add_stop(b, t);
		ADD(b, "},");
		add_usage(b, &t->usage);
	} else if (i == 2)
		ADD(b, "event: message_stop\n"
		       "data: {\"type\":\"message_stop\"");
	else
		return TAPE_SERVE_NO_EVENT;
	return TAPE_SERVE_JSON_EVENT;
}

static void
begin(struct tape_buf *b, const struct tape_serve_text *t)
{
	begin_message(b, t);
	ADD(b, "{\"type\":\"text\",\"text\":\"");
}

static void
end(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "\"}],");
	add_stop(b, t);
	ADD(b, ",");
	add_usage(b, &t->usage);
}

static void
fail(struct tape_buf *b, const char *message)
{
	ADD(b, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":"
	       "\"overloaded_error\",\"message\":\"");
	(void)tape_buf_add_str(b, message);
	ADD(b, "\"}}\n\n");
}

const struct tape_serve_dialect tape_serve_anthropic = {
	.name = "messages",
	.path = "/v1/messages",
	.id = "msg_",
	.type = TAPE_SERVE_SSE,
	.before = "data: ",
	.eol = "\n\n",
	.shape = { .input = TAPE_SERVE_MESSAGES,
	    .input_key = "messages",
	    .extra_key = "system",
	    .limit_keys = { "max_tokens" },
	    .usage = true },
	.lead = lead,
	.say = say,
	.said = said,
	.tail = tail,
	.begin = begin,
	.end = end,
	.fail = fail,
};
