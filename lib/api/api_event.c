/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One event: collecting what it says, and adding that to the totals. */
#include "api/api_decode.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "codec/stat_rng.h"

void
tape_api_event_begin(struct tape_api_state *s)
{
	s->malformed = s->done = s->failed = false;
	s->counted = s->timed = false;
	s->choices_n = s->usages_n = s->ids_n = s->pieces = 0;
	memset(s->bytes, 0, sizeof(s->bytes));
	tape_buf_clear(&s->content);
	tape_buf_clear(&s->show);
	tape_buf_clear(&s->error);
	for (size_t i = 0; i < TAPE_API_MADE; i++)
		tape_buf_clear(&s->made[i]);
	tape_api_tokens_clear(&s->tokens);
	for (size_t i = 0; i < TAPE_API_TIMINGS; i++)
		s->timing[i] = tape_str_make(NULL, 0);
	s->server_ns = s->server_late_ns = TAPE_ABSENT_I64;
}

struct tape_api_choice *
tape_api_choice_begin(struct tape_api_state *s, struct tape_err *err)
{
	struct tape_api_choice *c;

	if (tape_mem_grow((void **)&s->choices, &s->choices_cap,
		s->choices_n + 1, sizeof(*s->choices)) != 0) {
		(void)tape_err_nomem(err);
		return NULL;
	}
	c = &s->choices[s->choices_n++];
	c->index = 0;
	c->content_at = s->content.len;
	c->content_len = c->finish_len = 0;
	c->has_text = false;
	return c;
}

void
tape_api_add_text(struct tape_api_state *s, enum tape_api_kind kind,
    const char *p, size_t len)
{
	struct tape_api_choice *c = &s->choices[s->choices_n - 1];

	if (len == 0)
		return;
	if (s->bytes[kind] == 0) {
		s->first_choice[kind] = (int64_t)s->choices_n - 1;
		if (kind != TAPE_API_CONTENT) {
			s->show_at[kind] = s->show.len;
			s->show_len[kind] = len;
			(void)tape_buf_add(&s->show, p, len);
		}
	}
	c->has_text = true;
	s->pieces++;
	s->piece = tape_str_make(p, len);
	s->piece_kind = kind;
	s->bytes[kind] += (int64_t)len;
	if (kind == TAPE_API_CONTENT) {
		(void)tape_buf_add(&s->content, p, len);
		c->content_len = s->content.len - c->content_at;
	}
}

/* Records have no NUL in their strings. */
static void
no_nul(char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (p[i] == '\0')
			p[i] = '?';
}

void
tape_api_add_finish(struct tape_api_state *s, const char *p, size_t len)
{
	struct tape_api_choice *c = &s->choices[s->choices_n - 1];

	c->finish_len = len < sizeof(c->finish) ? len : sizeof(c->finish);
	c->finish_len -= c->finish_len - tape_utf8_cut(p, c->finish_len);
	memcpy(c->finish, p, c->finish_len);
	no_nul(c->finish, c->finish_len);
}

void
tape_api_add_tool_id(struct tape_api_state *s, const char *p, size_t len)
{
	if (len > 0 && s->ids_n < TAPE_API_IDS)
		s->ids[s->ids_n++] = tape_rng_fnv64(p, len);
}

void
tape_api_add_error(struct tape_api_state *s, const char *p, size_t len)
{
	s->failed = true;
	tape_buf_clear(&s->error);
	if (len > TAPE_API_MAX_ERROR)
		len = tape_utf8_cut(p, TAPE_API_MAX_ERROR);
	(void)tape_utf8_repair(&s->error, p, len);
	no_nul(s->error.data, s->error.len);
}

static bool
has_usage(const struct tape_api_state *s)
{
	return s->usages_n > 0 || s->counted;
}

/* The rest: from the event in hand to the totals. */

static void
add_content(struct tape_api_decoder *d, const char *p, size_t len)
{
	d->has_text = true;
	tape_sha256_add(&d->state->sha, p, len);
	if (!d->keep_text || d->text_cut)
		return;
	if (len > TAPE_CAP_TEXT - d->text.len) {
		d->text_cut = true;
		tape_buf_release(&d->text);
		return;
	}
	(void)tape_buf_add(&d->text, p, len);
}

static enum tape_status
add_choice(struct tape_api_decoder *d, const struct tape_api_choice *c,
    struct tape_err *err)
{
	struct tape_api_state *s = d->state;
	const size_t i = (size_t)c->index;

	d->choice_events += c->has_text;
	if (c->index == 0 && c->content_len > 0)
		add_content(d, s->content.data + c->content_at, c->content_len);
	if (c->index >= TAPE_API_MAX_CHOICES)
		return TAPE_OK;
	if (c->index >= d->choices)
		d->choices = c->index + 1;
	if (c->finish_len == 0)
		return TAPE_OK;
	if (i >= s->finish_n) {
		if (tape_mem_grow((void **)&s->finish, &s->finish_cap, i + 1,
			sizeof(*s->finish)) != 0)
			return tape_err_nomem(err);
		while (s->finish_n <= i)
			s->finish[s->finish_n++].len = 0;
	}
	s->finish[i].len = c->finish_len;
	memcpy(s->finish[i].text, c->finish, c->finish_len);
	return TAPE_OK;
}

static enum tape_status
add_tool_ids(struct tape_api_decoder *d, struct tape_err *err)
{
	struct tape_api_state *s = d->state;
	size_t j;

	for (size_t i = 0; i < s->ids_n; i++) {
		for (j = 0; j < s->tool_ids_n; j++)
			if (s->tool_ids[j] == s->ids[i])
				break;
		if (j < s->tool_ids_n || j == TAPE_API_TOOL_IDS)
			continue;
		if (tape_mem_grow((void **)&s->tool_ids, &s->tool_ids_cap,
			j + 1, sizeof(*s->tool_ids)) != 0)
			return tape_err_nomem(err);
		s->tool_ids[s->tool_ids_n++] = s->ids[i];
		d->tool_calls++;
	}
	return TAPE_OK;
}

static void
add_kinds(struct tape_api_decoder *d)
{
	for (int k = 0; k < TAPE_API_KINDS; k++) {
		d->kind_events[k] += d->state->bytes[k] > 0;
		d->kind_bytes[k] += d->state->bytes[k];
	}
}

enum tape_status
tape_api_event_commit(struct tape_api_decoder *d, struct tape_err *err)
{
	struct tape_api_state *s = d->state;
	enum tape_status st = TAPE_OK;

	add_kinds(d);
	for (size_t i = 0; i < s->choices_n && st == TAPE_OK; i++)
		st = add_choice(d, &s->choices[i], err);
	if (st == TAPE_OK && s->ids_n > 0)
		st = add_tool_ids(d, err);
	if (st == TAPE_OK && has_usage(s))
		st = tape_api_merge_usage(d, err);
	else if (st == TAPE_OK && s->timed)
		tape_api_merge_tokens(d);
	if (st == TAPE_OK)
		st = tape_api_add_timings(s, err);
	if (s->failed && !d->failed)
		(void)tape_buf_add(&d->error, s->error.data, s->error.len);
	d->failed = d->failed || s->failed;
	d->done = d->done || s->done;
	if (st == TAPE_OK)
		st = tape_buf_status(&d->text, err);
	return st == TAPE_OK ? tape_buf_status(&d->error, err) : st;
}

static void
show(const struct tape_api_state *s, enum tape_api_kind kind,
    struct tape_api_event *ev)
{
	ev->class = "cgtxa"[kind];
	ev->text_bytes = s->bytes[kind];
	ev->choice = s->choices[s->first_choice[kind]].index;
	ev->text = kind == TAPE_API_CONTENT
		       ? tape_str_make(s->content.data, s->content.len)
		       : tape_str_make(s->show.data + s->show_at[kind],
			     s->show_len[kind]);
}

static char
class_of(const struct tape_api_state *s, const struct tape_api_event *ev)
{
	if (s->failed)
		return 'e';
	if (s->done)
		return 'd';
	if (ev->finish.p != NULL)
		return 'f';
	if (has_usage(s))
		return 'u';
	return s->choices_n > 0 ? 'r' : 'o';
}

void
tape_api_event_describe(
    const struct tape_api_state *s, struct tape_api_event *ev)
{
	ev->has_usage = has_usage(s);
	memcpy(ev->bytes, s->bytes, sizeof(ev->bytes));
	if (has_usage(s)) {
		const int64_t output =
		    tape_api_tokens_resolve(&s->tokens).output;

		ev->out_tokens = output == TAPE_ABSENT_I64 ? -1 : output;
	}
	ev->server_ns = s->server_ns;
	ev->server_late_ns = s->server_late_ns;
	if (s->choices_n > 0)
		ev->choice = s->choices[0].index;
	for (size_t i = 0; i < s->choices_n && ev->finish.p == NULL; i++)
		if (s->choices[i].finish_len > 0)
			ev->finish = tape_str_make(
			    s->choices[i].finish, s->choices[i].finish_len);
	if (s->failed)
		ev->error = tape_str_make(s->error.data, s->error.len);
	for (int k = 0; k < TAPE_API_KINDS; k++)
		if (s->bytes[k] > 0) {
			show(s, (enum tape_api_kind)k, ev);
			return;
		}
	ev->class = class_of(s, ev);
}
