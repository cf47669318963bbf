/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SGLang's own generate: each event has all of the text so far. */
#include "engine/serve_dialect.h"

#define ADD TAPE_SERVE_ADD

static void
begin(struct tape_buf *b, const struct tape_serve_text *t)
{
	(void)t;
	ADD(b, "{\"text\":\"");
}

static void
say(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "data: ");
	begin(b, t);
	tape_serve_add_str(b, t->kept);
}

static void
add_meta(struct tape_buf *b, const struct tape_serve_text *t, bool done)
{
	const struct tape_serve_usage *u = &t->usage;

	ADD(b, "\",\"meta_info\":{\"id\":\"");
	(void)tape_buf_add_str(b, t->id);
	ADD(b, "\",\"finish_reason\":");
	if (!done)
		ADD(b, "null,");
	else if (t->finish[0] == 'l') {
		ADD(b, "{\"type\":\"length\",");
		tape_serve_add_count(b, "length", u->output_tokens);
		ADD(b, "},");
	} else
		ADD(b, "{\"type\":\"stop\",\"matched\":2},");
	tape_serve_add_count(b, "prompt_tokens", u->prompt_tokens);
	ADD(b, ",");
	tape_serve_add_count(b, "completion_tokens", u->output_tokens);
	ADD(b, ",");
	tape_serve_add_count(b, "cached_tokens", u->cached_tokens);
	ADD(b, "}");
}

static void
said(struct tape_buf *b, const struct tape_serve_text *t)
{
	add_meta(b, t, t->last);
}

static enum tape_serve_event
tail(struct tape_buf *b, const struct tape_serve_text *t, unsigned i)
{
	(void)t;
	if (i > 0)
		return TAPE_SERVE_NO_EVENT;
	ADD(b, "data: [DONE]\n\n");
	return TAPE_SERVE_OWN_EVENT;
}

static void
end(struct tape_buf *b, const struct tape_serve_text *t)
{
	add_meta(b, t, true);
}

const struct tape_serve_dialect tape_serve_sglang = {
	.name = "sglang",
	.path = "/generate",
	.id = "",
	.type = TAPE_SERVE_SSE,
	.before = "data: ",
	.eol = "\n\n",
	.shape = { .input = TAPE_SERVE_TEXT,
	    .input_key = "text",
	    .ids_key = "input_ids",
	    .limit_keys = { "max_new_tokens" },
	    .options_key = "sampling_params",
	    .usage = true },
	.keeps = true,
	.say = say,
	.said = said,
	.tail = tail,
	.begin = begin,
	.end = end,
	.done = "data: [DONE]\n\n",
};
