/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text Generation Inference's own endpoints: no space behind "data:", and the
   last token's event has the end in it. */
#include "engine/serve_dialect.h"

#define ADD TAPE_SERVE_ADD

static void
add_details(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "\"details\":{\"finish_reason\":");
	if (t->finish[0] == 'l')
		ADD(b, "\"length\",");
	else
		ADD(b, "\"eos_token\",");
	tape_serve_add_count(b, "generated_tokens", t->usage.output_tokens);
	ADD(b, ",");
	tape_serve_add_count(b, "input_length", t->usage.prompt_tokens);
	ADD(b, ",\"seed\":null}");
}

static void
say(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "data:{");
	tape_serve_add_count(b, "index", t->index + 1);
	ADD(b, ",\"token\":{\"id\":1,\"logprob\":-0.5,\"special\":false,"
	       "\"text\":\"");
}

static void
said(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "\"},\"generated_text\":");
	if (!t->last) {
		ADD(b, "null,\"details\":null");
		return;
	}
	ADD(b, "\"");
	tape_serve_add_str(b, t->kept);
	ADD(b, "\",");
	add_details(b, t);
}

static void
begin(struct tape_buf *b, const struct tape_serve_text *t)
{
	(void)t;
	ADD(b, "{\"generated_text\":\"");
}

static void
end(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "\",");
	add_details(b, t);
}

static void
fail(struct tape_buf *b, const char *message)
{
	ADD(b, "data:{\"error\":\"");
	(void)tape_buf_add_str(b, message);
	ADD(b, "\",\"error_type\":\"generation\"}\n\n");
}

const struct tape_serve_dialect tape_serve_hf = {
	.name = "huggingface_generate",
	.path = "/generate",
	.instead = &tape_serve_sglang,
	.stream_path = "/generate_stream",
	.id = "",
	.type = "text/event-stream",
	.before = "data:",
	.eol = "\n\n",
	.shape = { .input = TAPE_SERVE_TEXT,
	    .input_key = "inputs",
	    .limit_keys = { "max_new_tokens" },
	    .options_key = "parameters",
	    .streams = TAPE_SERVE_BY_PATH,
	    .usage = true },
	.keeps = true,
	.say = say,
	.said = said,
	.begin = begin,
	.end = end,
	.fail = fail,
};
