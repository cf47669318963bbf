/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The response of an exchange, from what its flow has gathered. */
#include "base/mem.h"
#include "engine/stamp_flow.h"
#include "engine/stamp_judge.h"

/* What stands in a string of a record: no NUL. */
static enum tape_status
copy_text(struct tape_buf *dst, const char *p, size_t len, struct tape_err *err)
{
	const char *nul;

	tape_buf_clear(dst);
	while ((nul = memchr(p, '\0', len)) != NULL) {
		(void)tape_buf_add(dst, p, (size_t)(nul - p));
		(void)tape_buf_add_str(dst, "\xef\xbf\xbd");
		len -= (size_t)(nul + 1 - p);
		p = nul + 1;
	}
	(void)tape_buf_add(dst, p, len);
	return tape_buf_status(dst, err);
}

static struct tape_str
or_absent(const struct tape_buf *b)
{
	return tape_str_make(b->len > 0 ? b->data : NULL, b->len);
}

static enum tape_status
fill_texts(struct tape_flow *f, struct tape_response *out, struct tape_err *err)
{
	const struct tape_api_decoder *d = &f->decoder;
	enum tape_status st;

	tape_buf_clear(&f->usage);
	tape_buf_clear(&f->timing);
	tape_api_usage(d, &f->usage);
	tape_api_timing(d, &f->timing);
	out->usage = or_absent(&f->usage);
	out->server_timing = or_absent(&f->timing);
	if (d->has_text)
		out->text_sha256 = tape_str_of(tape_api_text_sha256(d, f->sha));
	if (d->has_text && d->keep_text && !d->text_cut) {
		st = copy_text(&f->text, d->text.data, d->text.len, err);
		if (st != TAPE_OK)
			return st;
		out->text = tape_str_make(f->text.data, f->text.len);
	}
	st = tape_buf_status(&f->usage, err);
	return st == TAPE_OK ? tape_buf_status(&f->timing, err) : st;
}

/* Of a failed response, events are no count of its tokens. */
static void
fill_tokens(const struct tape_flow *f, struct tape_response *out)
{
	const struct tape_api_decoder *d = &f->decoder;
	struct tape_tokens *t = &out->tokens;

	t->input = d->tokens.input;
	t->output = d->tokens.output;
	t->reasoning = d->tokens.reasoning;
	t->cached = d->tokens.cached;
	t->cache_write = d->tokens.cache_write;
	t->audio_input = d->tokens.audio_input;
	t->audio_output = d->tokens.audio_output;
	t->accepted = d->tokens.accepted;
	t->rejected = d->tokens.rejected;
	if (t->output != TAPE_ABSENT_I64) {
		t->source = tape_str_of("usage");
	} else if (out->t.error.class.p == NULL && tape_api_wants_tokens(d)) {
		t->output = d->choice_events;
		t->source = tape_str_of("events");
	}
}

static void
fill_kind(const struct tape_api_decoder *d, enum tape_api_kind kind,
    int64_t *events, int64_t *bytes)
{
	if (d->kind_events[kind] == 0)
		return;
	*events = d->kind_events[kind];
	*bytes = d->kind_bytes[kind];
}

/* Of an answer that is content alone the events say all. */
static void
fill_kinds(const struct tape_api_decoder *d, struct tape_kinds *k)
{
	bool other = d->tool_calls > 0;

	for (int i = TAPE_API_CONTENT + 1; i < TAPE_API_KINDS; i++)
		other = other || d->kind_events[i] > 0;
	if (!other)
		return;
	fill_kind(d, TAPE_API_CONTENT, &k->content_events, &k->content_bytes);
	fill_kind(
	    d, TAPE_API_REASONING, &k->reasoning_events, &k->reasoning_bytes);
	fill_kind(d, TAPE_API_TOOL, &k->tool_events, &k->tool_bytes);
	fill_kind(d, TAPE_API_REFUSAL, &k->refusal_events, &k->refusal_bytes);
	fill_kind(d, TAPE_API_AUDIO, &k->audio_events, &k->audio_bytes);
	if (d->tool_calls > 0)
		k->tool_calls = d->tool_calls;
}

static enum tape_status
fill_finish(
    struct tape_flow *f, struct tape_response *out, struct tape_err *err)
{
	const size_t n = (size_t)f->decoder.choices;

	if (n == 0)
		return TAPE_OK;
	if (tape_mem_grow((void **)&f->finish, &f->finish_cap, n,
		sizeof(*f->finish)) != 0)
		return tape_err_nomem(err);
	for (size_t i = 0; i < n; i++) {
		f->finish[i] = tape_api_finish(&f->decoder, (int64_t)i);
		if (f->finish[i].p == NULL)
			f->finish[i] = tape_str_make("", 0);
	}
	out->finish.v = f->finish;
	out->finish.n = n;
	return TAPE_OK;
}

static void
fill_framing(const struct tape_flow *f, struct tape_framing *out)
{
	const struct tape_sse_counts *c = tape_framer_counts(&f->framer);

	if (f->mode == TAPE_FLOW_STREAM) {
		out->events = (int64_t)c->events;
		out->data_lines = (int64_t)c->data_lines;
		out->comments = (int64_t)c->comments;
		out->id_lines = (int64_t)c->id_lines;
		out->unknown_fields = (int64_t)c->unknown_fields;
		/* Where it broke, not all bytes were looked at. */
		if (f->broken.status == TAPE_OK)
			out->tail_bytes = (int64_t)tape_framer_tail(&f->framer);
	}
	out->malformed = f->decoder.malformed;
	if (out->malformed > 0)
		out->spliced = f->spliced;
}

enum tape_status
tape_flow_finish(
    struct tape_flow *f, struct tape_response *out, struct tape_err *err)
{
	enum tape_status st;

	tape_flow_judge(f, &out->t);
	out->reads = f->reads;
	out->body_bytes = f->body_bytes;
	if (f->head.encoding[0] != '\0')
		out->encoding = tape_str_of(f->head.encoding);
	out->finish_at = f->finish_at;
	out->usage_at = f->usage_at;
	/* Without bytes nothing is known of tokens, not even that there were
	   none. */
	if (f->mode != TAPE_FLOW_BARE) {
		fill_tokens(f, out);
		fill_kinds(&f->decoder, &out->kinds);
		fill_framing(f, &out->sse);
	}
	st = tape_stamp_events_get(&f->events, &out->events, err);
	if (st == TAPE_OK)
		st = fill_finish(f, out, err);
	return st == TAPE_OK ? fill_texts(f, out, err) : st;
}
