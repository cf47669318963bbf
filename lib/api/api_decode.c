/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api_decode.h"

#include "api/api_pointers.h"
#include "base/mem.h"

void
tape_api_decoder_init(
    struct tape_api_decoder *d, const struct tape_api *api, bool keep_text)
{
	memset(d, 0, sizeof(*d));
	d->keep_text = keep_text;
	tape_buf_init(&d->error, 3 * TAPE_API_MAX_ERROR);
	tape_buf_init(&d->usage, TAPE_CAP_SSE_EVENT);
	tape_buf_init(&d->text, TAPE_CAP_TEXT);
	tape_api_decoder_clear(d, api);
}

void
tape_api_decoder_clear(struct tape_api_decoder *d, const struct tape_api *api)
{
	struct tape_api_state *s = d->state;

	if (s != NULL && d->api != api)
		s->template.good = false;
	d->api = api;
	d->pointers = NULL;
	d->token_events = d->malformed = d->choices = d->tool_calls = 0;
	d->choice_events = 0;
	memset(d->kind_events, 0, sizeof(d->kind_events));
	memset(d->kind_bytes, 0, sizeof(d->kind_bytes));
	d->done = d->failed = d->has_text = d->text_cut = false;
	tape_buf_clear(&d->error);
	tape_buf_clear(&d->usage);
	tape_buf_clear(&d->text);
	tape_api_tokens_clear(&d->tokens);
	if (s == NULL)
		return;
	tape_sha256_init(&s->sha);
	tape_api_tokens_clear(&s->all_tokens);
	for (size_t i = 0; i < TAPE_API_TIMINGS; i++)
		tape_buf_clear(&s->timings[i]);
	s->merged_shape = 0;
	s->finish_n = s->tool_ids_n = s->grown_n = 0;
	s->growth = TAPE_API_GROWTH_UNKNOWN;
}

void
tape_api_decoder_release(struct tape_api_decoder *d)
{
	struct tape_api_state *s = d->state;

	tape_buf_release(&d->error);
	tape_buf_release(&d->usage);
	tape_buf_release(&d->text);
	d->state = NULL;
	if (s == NULL)
		return;
	tape_json_release(&s->json);
	tape_buf_release(&s->template.text);
	tape_buf_release(&s->content);
	tape_buf_release(&s->show);
	tape_buf_release(&s->error);
	tape_buf_release(&s->merged);
	tape_buf_release(&s->inner);
	for (size_t i = 0; i < TAPE_API_TIMINGS; i++)
		tape_buf_release(&s->timings[i]);
	for (size_t i = 0; i < TAPE_API_MADE; i++)
		tape_buf_release(&s->made[i]);
	tape_api_fields_release(&s->old_usage);
	tape_api_fields_release(&s->new_usage);
	tape_mem_free(s->choices);
	tape_mem_free(s->finish);
	tape_mem_free(s->tool_ids);
	tape_mem_free(s->grown);
	tape_mem_free(s);
}

static enum tape_status
state_open(struct tape_api_decoder *d, struct tape_err *err)
{
	struct tape_api_state *s;

	if (d->state != NULL)
		return TAPE_OK;
	s = tape_mem_calloc(1, sizeof(*s));
	if (s == NULL)
		return tape_err_nomem(err);
	tape_json_init(&s->json);
	tape_buf_init(&s->template.text, TAPE_CAP_SSE_EVENT);
	tape_buf_init(&s->content, TAPE_CAP_SSE_EVENT);
	tape_buf_init(&s->show, TAPE_CAP_SSE_EVENT);
	tape_buf_init(&s->error, 3 * TAPE_API_MAX_ERROR);
	tape_buf_init(&s->merged, TAPE_CAP_SSE_EVENT);
	tape_buf_init(&s->inner, TAPE_CAP_SSE_EVENT);
	for (size_t i = 0; i < TAPE_API_TIMINGS; i++)
		tape_buf_init(&s->timings[i], TAPE_CAP_SSE_EVENT);
	for (size_t i = 0; i < TAPE_API_MADE; i++)
		tape_buf_init(&s->made[i], TAPE_CAP_SSE_EVENT);
	tape_sha256_init(&s->sha);
	tape_api_tokens_clear(&s->all_tokens);
	d->state = s;
	return TAPE_OK;
}

static bool
points(const struct tape_api_decoder *d, enum tape_api_pointer which)
{
	return d->pointers != NULL && d->pointers->v[which][0] != '\0';
}

bool
tape_api_wants_tokens(const struct tape_api_decoder *d)
{
	return d->api->opaque ? points(d, TAPE_API_POINTER_TEXT) ||
				    points(d, TAPE_API_POINTER_REASONING)
			      : !d->api->tokenless;
}

bool
tape_api_may_just_end(const struct tape_api_decoder *d)
{
	return d->api->open_ended && !points(d, TAPE_API_POINTER_FINISH);
}

void
tape_api_event_init(struct tape_api_event *ev)
{
	*ev = (struct tape_api_event){ .class = 'o',
		.choice = TAPE_ABSENT_I64,
		.out_tokens = -1,
		.server_ns = TAPE_ABSENT_I64,
		.server_late_ns = TAPE_ABSENT_I64 };
}

/* What a dialect has read, st being how that went, becomes the event. */
static enum tape_status
finish(struct tape_api_decoder *d, enum tape_status st, struct tape_err *why,
    struct tape_api_event *ev, struct tape_err *err)
{
	struct tape_api_state *s = d->state;

	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	if (st == TAPE_OK)
		st = tape_buf_status(&s->content, why);
	if (st == TAPE_OK)
		st = tape_buf_status(&s->show, why);
	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	if (st != TAPE_OK || s->malformed) {
		ev->malformed = true;
		d->malformed++;
		return TAPE_OK;
	}
	tape_api_event_describe(s, ev);
	if (tape_api_is_token(ev->class))
		d->token_events++;
	return tape_api_event_commit(d, err);
}

enum tape_status
tape_api_decode(struct tape_api_decoder *d, struct tape_str type,
    struct tape_str data, struct tape_api_event *ev, struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st;

	tape_api_event_init(ev);
	if (state_open(d, err) != TAPE_OK)
		return TAPE_E_NOMEM;
	tape_api_event_begin(d->state);
	st = d->api->decode(d, type, data, &why);
	return finish(d, st, &why, ev, err);
}

enum tape_status
tape_api_decode_body(struct tape_api_decoder *d, struct tape_str body,
    struct tape_api_event *ev, struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st;

	tape_api_event_init(ev);
	if (state_open(d, err) != TAPE_OK)
		return TAPE_E_NOMEM;
	tape_api_event_begin(d->state);
	st = d->api->decode_body(d, body, &why);
	return finish(d, st, &why, ev, err);
}

enum tape_status
tape_api_decode_field(struct tape_api_decoder *d, struct tape_str name,
    struct tape_str value, struct tape_api_event *ev, struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st;

	tape_api_event_init(ev);
	if (!tape_str_is(name, "error"))
		return TAPE_OK;
	if (state_open(d, err) != TAPE_OK)
		return TAPE_E_NOMEM;
	tape_api_event_begin(d->state);
	st = tape_api_read_error_text(d->state, value, &why);
	return finish(d, st, &why, ev, err);
}

struct tape_str
tape_api_finish(const struct tape_api_decoder *d, int64_t choice)
{
	const struct tape_api_state *s = d->state;

	if (s == NULL || choice < 0 || (uint64_t)choice >= s->finish_n ||
	    s->finish[choice].len == 0)
		return tape_str_make(NULL, 0);
	return tape_str_make(s->finish[choice].text, s->finish[choice].len);
}

char *
tape_api_text_sha256(
    const struct tape_api_decoder *d, char dst[TAPE_API_SHA256_TEXT])
{
	struct tape_sha256 h;

	if (d->state != NULL)
		h = d->state->sha;
	else
		tape_sha256_init(&h);
	return tape_sha256_finish_text(&h, dst);
}
