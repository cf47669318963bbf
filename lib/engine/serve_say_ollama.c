/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ollama's own chat and generate: a JSON object a line. */
#include "engine/serve_dialect.h"

#define ADD TAPE_SERVE_ADD

static bool
is_chat(const struct tape_serve_text *t)
{
	return t->dialect == &tape_serve_ollama_chat;
}

static void
say(struct tape_buf *b, const struct tape_serve_text *t)
{
	char iso[TAPE_CLOCK_ISO];

	ADD(b, "{\"model\":");
	tape_serve_add_str(b, t->model);
	ADD(b, ",\"created_at\":\"");
	(void)tape_buf_add_str(b, tape_clock_print_iso(t->wall_ns, iso));
	if (is_chat(t))
		ADD(b, "\",\"message\":{\"role\":\"assistant\",\"content\":\"");
	else
		ADD(b, "\",\"response\":\"");
}

static void
end_text(struct tape_buf *b, const struct tape_serve_text *t)
{
	if (is_chat(t))
		ADD(b, "\"}");
	else
		ADD(b, "\"");
}

static void
said(struct tape_buf *b, const struct tape_serve_text *t)
{
	end_text(b, t);
	ADD(b, ",\"done\":false");
}

static void
end(struct tape_buf *b, const struct tape_serve_text *t)
{
	const struct tape_serve_usage *u = &t->usage;

	end_text(b, t);
	ADD(b, ",\"done\":true,\"done_reason\":\"");
	(void)tape_buf_add_str(b, t->finish);
	ADD(b, "\",");
	tape_serve_add_count(b, "total_duration",
	    (uint64_t)t->prompt_ns + (uint64_t)t->output_ns);
	ADD(b, ",\"load_duration\":0,");
	tape_serve_add_count(b, "prompt_eval_count", u->prompt_tokens);
	ADD(b, ",");
	tape_serve_add_count(b, "prompt_eval_duration", (uint64_t)t->prompt_ns);
	ADD(b, ",");
	tape_serve_add_count(b, "eval_count", u->output_tokens);
	ADD(b, ",");
	tape_serve_add_count(b, "eval_duration", (uint64_t)t->output_ns);
}

static enum tape_serve_event
tail(struct tape_buf *b, const struct tape_serve_text *t, unsigned i)
{
	if (i > 0)
		return TAPE_SERVE_NO_EVENT;
	say(b, t);
	end(b, t);
	return TAPE_SERVE_JSON_EVENT;
}

static void
fail(struct tape_buf *b, const char *message)
{
	ADD(b, "{\"error\":\"");
	(void)tape_buf_add_str(b, message);
	ADD(b, "\"}\n");
}

#define OLLAMA                                                                 \
 .id = "", .type = "application/x-ndjson", .before = "", .eol = "\n",          \
 .say = say, .said = said, .tail = tail, .begin = say, .end = end,             \
 .fail = fail

const struct tape_serve_dialect tape_serve_ollama_chat = {
	OLLAMA,
	.name = "ollama",
	.path = "/api/chat",
	.shape = { .input = TAPE_SERVE_MESSAGES,
	    .input_key = "messages",
	    .limit_keys = { "num_predict" },
	    .options_key = "options",
	    .streams = TAPE_SERVE_IF_NOT_SO,
	    .usage = true },
};

const struct tape_serve_dialect tape_serve_ollama_generate = {
	OLLAMA,
	.name = "ollama_generate",
	.path = "/api/generate",
	.shape = { .input = TAPE_SERVE_TEXT,
	    .input_key = "prompt",
	    .extra_key = "system",
	    .limit_keys = { "num_predict" },
	    .options_key = "options",
	    .streams = TAPE_SERVE_IF_NOT_SO,
	    .usage = true },
};
