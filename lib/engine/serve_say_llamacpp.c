/* SPDX-License-Identifier: GPL-3.0-or-later */
/* llama.cpp's own completion. */
#include "engine/serve_dialect.h"

#define ADD TAPE_SERVE_ADD

static void
begin(struct tape_buf *b, const struct tape_serve_text *t)
{
	(void)t;
	ADD(b, "{\"index\":0,\"content\":\"");
}

static void
say(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "data: ");
	begin(b, t);
}

static void
add_counts(struct tape_buf *b, const struct tape_serve_text *t)
{
	const struct tape_serve_usage *u = &t->usage;

	ADD(b, ",\"id_slot\":0,");
	tape_serve_add_count(b, "tokens_predicted", u->output_tokens);
	ADD(b, ",");
	tape_serve_add_count(b, "tokens_evaluated", u->prompt_tokens);
}

static void
said(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "\",\"tokens\":[],\"stop\":false");
	add_counts(b, t);
}

/* Milliseconds with as many digits as there are. */
static void
add_ms(struct tape_buf *b, const char *key, int64_t ns)
{
	(void)tape_buf_add_fmt(b, ",\"%s\":%.6f", key, (double)ns / 1e6);
}

static void
add_timings(struct tape_buf *b, const struct tape_serve_text *t)
{
	const struct tape_serve_usage *u = &t->usage;

	ADD(b, ",\"timings\":{");
	tape_serve_add_count(b, "cache_n", u->cached_tokens);
	ADD(b, ",");
	tape_serve_add_count(
	    b, "prompt_n", u->prompt_tokens - u->cached_tokens);
	add_ms(b, "prompt_ms", t->prompt_ns);
	ADD(b, ",");
	tape_serve_add_count(b, "predicted_n", u->output_tokens);
	add_ms(b, "predicted_ms", t->output_ns);
	ADD(b, "}");
}

static void
end(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "\",\"tokens\":[],\"stop\":true");
	add_counts(b, t);
	ADD(b, ",\"model\":");
	tape_serve_add_str(b, t->model);
	ADD(b, ",\"stop_type\":");
	if (t->finish[0] == 'l')
		ADD(b, "\"limit\"");
	else
		ADD(b, "\"eos\"");
	ADD(b, ",\"stopping_word\":\"\",\"truncated\":false,");
	tape_serve_add_count(b, "tokens_cached",
	    t->usage.prompt_tokens + t->usage.output_tokens);
	add_timings(b, t);
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

const struct tape_serve_dialect tape_serve_llamacpp = {
	.name = "llamacpp",
	.path = "/completion",
	.id = "",
	.type = "text/event-stream",
	.before = "data: ",
	.eol = "\n\n",
	.shape = { .input = TAPE_SERVE_TEXT,
	    .input_key = "prompt",
	    .limit_keys = { "n_predict" },
	    .usage = true },
	.say = say,
	.said = said,
	.tail = tail,
	.begin = begin,
	.end = end,
};
