/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The generate extension of Triton, as TensorRT-LLM's ensemble answers it: no
   event says that it is the last one, and none has a count. */
#include "engine/serve_dialect.h"

#define ADD TAPE_SERVE_ADD

static void
begin(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "{\"cum_log_probs\":0.0,\"model_name\":");
	tape_serve_add_str(b, t->model);
	ADD(b, ",\"model_version\":\"1\",\"output_log_probs\":0.0,"
	       "\"sequence_end\":false,\"sequence_id\":0,"
	       "\"sequence_start\":false,\"text_output\":\"");
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
	(void)t;
	ADD(b, "\"");
}

const struct tape_serve_dialect tape_serve_triton = {
	.name = "triton_generate",
	.path = "/v2/models/{model}/generate",
	.stream_path = "/v2/models/{model}/generate_stream",
	.id = "",
	.type = "text/event-stream",
	.before = "data: ",
	.eol = "\n\n",
	.shape = { .input = TAPE_SERVE_TEXT,
	    .input_key = "text_input",
	    .limit_keys = { "max_tokens" },
	    .streams = TAPE_SERVE_BY_PATH },
	.say = say,
	.said = said,
	.begin = begin,
	.end = said,
};
