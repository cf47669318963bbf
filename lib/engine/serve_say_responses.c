/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The responses of the OpenAI API: typed, numbered events. */
#include "engine/serve_dialect.h"

#define ADD TAPE_SERVE_ADD

static void
begin_event(
    struct tape_buf *b, const struct tape_serve_text *t, const char *type)
{
	ADD(b, "event: response.");
	(void)tape_buf_add_str(b, type);
	ADD(b, "\ndata: {\"type\":\"response.");
	(void)tape_buf_add_str(b, type);
	ADD(b, "\",");
	tape_serve_add_count(b, "sequence_number", t->seq);
}

static void
add_item_id(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, ",\"item_id\":\"msg_");
	(void)tape_buf_add_str(b, t->id);
	ADD(b, "\",\"output_index\":0,\"content_index\":0");
}

/* "part":{...}, with the text so far. */
static void
add_part(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],"
	       "\"text\":\"");
	tape_serve_add_str(b, t->kept);
	ADD(b, "\"}");
}

static bool
is_cut(const struct tape_serve_text *t)
{
	return t->finish[0] == 'l';
}

static const char *
status_of(const struct tape_serve_text *t, bool done)
{
	if (!done)
		return "in_progress";
	return is_cut(t) ? "incomplete" : "completed";
}

/* Of the message, up to its content. */
static void
begin_item(struct tape_buf *b, const struct tape_serve_text *t, bool done)
{
	ADD(b, "{\"id\":\"msg_");
	(void)tape_buf_add_str(b, t->id);
	ADD(b, "\",\"type\":\"message\",\"role\":\"assistant\",\"status\":\"");
	(void)tape_buf_add_str(b, status_of(t, done));
	ADD(b, "\",\"content\":[");
}

static void
add_item(struct tape_buf *b, const struct tape_serve_text *t, bool done)
{
	begin_item(b, t, done);
	if (done)
		add_part(b, t);
	ADD(b, "]}");
}

static void
add_status(struct tape_buf *b, const struct tape_serve_text *t, bool done)
{
	ADD(b, "\"status\":\"");
	(void)tape_buf_add_str(b, status_of(t, done));
	ADD(b, "\",\"error\":null,\"incomplete_details\":");
	if (done && is_cut(t))
		ADD(b, "{\"reason\":\"max_output_tokens\"}");
	else
		ADD(b, "null");
}

/* Up to its output. */
static void
begin_response(struct tape_buf *b, const struct tape_serve_text *t, bool done)
{
	ADD(b, "{\"id\":\"");
	(void)tape_buf_add_str(b, t->id);
	ADD(b, "\",\"object\":\"response\",");
	tape_serve_add_count(b, "created_at", tape_serve_created_s(t));
	ADD(b, ",");
	add_status(b, t, done);
	ADD(b, ",\"model\":");
	tape_serve_add_str(b, t->model);
	ADD(b, ",\"instructions\":null,\"metadata\":{},\"tools\":[],"
	       "\"tool_choice\":\"auto\",\"parallel_tool_calls\":true,"
	       "\"temperature\":1.0,\"top_p\":1.0,\"output\":[");
}

static void
add_usage(struct tape_buf *b, const struct tape_serve_usage *u)
{
	ADD(b, "{");
	tape_serve_add_count(b, "input_tokens", u->prompt_tokens);
	ADD(b, ",\"input_tokens_details\":{");
	tape_serve_add_count(b, "cached_tokens", u->cached_tokens);
	ADD(b, "},");
	tape_serve_add_count(b, "output_tokens", u->output_tokens);
	ADD(b, ",\"output_tokens_details\":{\"reasoning_tokens\":0},");
	tape_serve_add_count(
	    b, "total_tokens", u->prompt_tokens + u->output_tokens);
	ADD(b, "}");
}

static void
add_response(struct tape_buf *b, const struct tape_serve_text *t, bool done)
{
	begin_response(b, t, done);
	if (done)
		add_item(b, t, true);
	ADD(b, "],\"usage\":");
	if (done)
		add_usage(b, &t->usage);
	else
		ADD(b, "null");
	ADD(b, "}");
}

static enum tape_serve_event
lead(struct tape_buf *b, const struct tape_serve_text *t, unsigned i)
{
	if (i > 3)
		return TAPE_SERVE_NO_EVENT;
	if (i < 2) {
		begin_event(b, t, i == 0 ? "created" : "in_progress");
		ADD(b, ",\"response\":");
		add_response(b, t, false);
	} else if (i == 2) {
		begin_event(b, t, "output_item.added");
		ADD(b, ",\"output_index\":0,\"item\":");
		add_item(b, t, false);
	} else {
		begin_event(b, t, "content_part.added");
		add_item_id(b, t);
		ADD(b, ",\"part\":");
		add_part(b, t);
	}
	return TAPE_SERVE_JSON_EVENT;
}

static void
say(struct tape_buf *b, const struct tape_serve_text *t)
{
	begin_event(b, t, "output_text.delta");
	add_item_id(b, t);
	ADD(b, ",\"logprobs\":[],\"delta\":\"");
}

static void
said(struct tape_buf *b, const struct tape_serve_text *t)
{
	(void)t;
	ADD(b, "\"");
}

static enum tape_serve_event
tail(struct tape_buf *b, const struct tape_serve_text *t, unsigned i)
{
	if (i > 3)
		return TAPE_SERVE_NO_EVENT;
	if (i == 0) {
		begin_event(b, t, "output_text.done");
		add_item_id(b, t);
		ADD(b, ",\"logprobs\":[],\"text\":\"");
		tape_serve_add_str(b, t->kept);
		ADD(b, "\"");
	} else if (i == 1) {
		begin_event(b, t, "content_part.done");
		add_item_id(b, t);
		ADD(b, ",\"part\":");
		add_part(b, t);
	} else if (i == 2) {
		begin_event(b, t, "output_item.done");
		ADD(b, ",\"output_index\":0,\"item\":");
		add_item(b, t, true);
	} else {
		begin_event(b, t, is_cut(t) ? "incomplete" : "completed");
		ADD(b, ",\"response\":");
		add_response(b, t, true);
	}
	return TAPE_SERVE_JSON_EVENT;
}

static void
begin(struct tape_buf *b, const struct tape_serve_text *t)
{
	begin_response(b, t, true);
	begin_item(b, t, true);
	ADD(b, "{\"type\":\"output_text\",\"annotations\":[],\"text\":\"");
}

static void
end(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "\"}]}],\"usage\":");
	add_usage(b, &t->usage);
}

static void
fail(struct tape_buf *b, const char *message)
{
	ADD(b, "event: error\ndata: {\"type\":\"error\",\"code\":"
	       "\"server_error\",\"message\":\"");
	(void)tape_buf_add_str(b, message);
	ADD(b, "\",\"param\":null,\"sequence_number\":0}\n\n");
}

const struct tape_serve_dialect tape_serve_responses = {
	.name = "responses",
	.path = "/v1/responses",
	.id = "resp_",
	.type = TAPE_SERVE_SSE,
	.before = "data: ",
	.eol = "\n\n",
	.shape = { .input = TAPE_SERVE_EITHER,
	    .input_key = "input",
	    .extra_key = "instructions",
	    .limit_keys = { "max_output_tokens" },
	    .usage = true },
	.keeps = true,
	.lead = lead,
	.say = say,
	.said = said,
	.tail = tail,
	.begin = begin,
	.end = end,
	.fail = fail,
};
