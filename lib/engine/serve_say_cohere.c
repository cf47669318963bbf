/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Version 2 of Cohere's chat. */
#include "engine/serve_dialect.h"

#define ADD TAPE_SERVE_ADD

static void
begin_event(struct tape_buf *b, const char *type)
{
	ADD(b, "event: ");
	(void)tape_buf_add_str(b, type);
	ADD(b, "\ndata: {\"type\":\"");
	(void)tape_buf_add_str(b, type);
	ADD(b, "\"");
}

static enum tape_serve_event
lead(struct tape_buf *b, const struct tape_serve_text *t, unsigned i)
{
	if (i == 0) {
		begin_event(b, "message-start");
		ADD(b, ",\"id\":\"");
		(void)tape_buf_add_str(b, t->id);
		ADD(b, "\",\"delta\":{\"message\":{\"role\":\"assistant\","
		       "\"content\":[],\"tool_plan\":\"\",\"tool_calls\":[],"
		       "\"citations\":[]}}");
	} else if (i == 1) {
		begin_event(b, "content-start");
		ADD(b, ",\"index\":0,\"delta\":{\"message\":{\"content\":"
		       "{\"type\":\"text\",\"text\":\"\"}}}");
	} else
		return TAPE_SERVE_NO_EVENT;
	return TAPE_SERVE_JSON_EVENT;
}

static void
say(struct tape_buf *b, const struct tape_serve_text *t)
{
	(void)t;
	begin_event(b, "content-delta");
	ADD(b, ",\"index\":0,\"delta\":{\"message\":{\"content\":{\"text\":\"");
}

static void
said(struct tape_buf *b, const struct tape_serve_text *t)
{
	(void)t;
	ADD(b, "\"}}}");
}

static void
add_counts(struct tape_buf *b, const struct tape_serve_usage *u)
{
	tape_serve_add_count(b, "input_tokens", u->prompt_tokens);
	ADD(b, ",");
	tape_serve_add_count(b, "output_tokens", u->output_tokens);
}

static void
add_finish(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "\"finish_reason\":");
	if (t->finish[0] == 'l')
		ADD(b, "\"MAX_TOKENS\"");
	else
		ADD(b, "\"COMPLETE\"");
	ADD(b, ",\"usage\":{\"billed_units\":{");
	add_counts(b, &t->usage);
	ADD(b, "},\"tokens\":{");
	add_counts(b, &t->usage);
	ADD(b, "},");
	tape_serve_add_count(b, "cached_tokens", t->usage.cached_tokens);
	ADD(b, "}");
}

static enum tape_serve_event
tail(struct tape_buf *b, const struct tape_serve_text *t, unsigned i)
{
	if (i == 0) {
		begin_event(b, "content-end");
		ADD(b, ",\"index\":0");
	} else if (i == 1) {
		begin_event(b, "message-end");
		ADD(b, ",\"delta\":{");
		add_finish(b, t);
		ADD(b, "}");
	} else if (i == 2) {
		ADD(b, "data: [DONE]\n\n");
		return TAPE_SERVE_OWN_EVENT;
	} else
		return TAPE_SERVE_NO_EVENT;
	return TAPE_SERVE_JSON_EVENT;
}

static void
begin(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "{\"id\":\"");
	(void)tape_buf_add_str(b, t->id);
	ADD(b, "\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":"
	       "\"text\",\"text\":\"");
}

static void
end(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "\"}]},");
	add_finish(b, t);
}

const struct tape_serve_dialect tape_serve_cohere = {
	.name = "cohere",
	.path = "/v2/chat",
	.id = "",
	.type = "text/event-stream",
	.before = "data: ",
	.eol = "\n\n",
	.shape = { .input = TAPE_SERVE_MESSAGES,
	    .input_key = "messages",
	    .limit_keys = { "max_tokens" },
	    .usage = true },
	.lead = lead,
	.say = say,
	.said = said,
	.tail = tail,
	.begin = begin,
	.end = end,
	.done = "data: [DONE]\n\n",
};
