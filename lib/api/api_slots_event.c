/* SPDX-License-Identifier: GPL-3.0-or-later */
/* api_slots: events of a stream. */
#include "api/api_slots.h"

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Without white space at the end. */
static struct tape_str
trimmed(struct tape_str data)
{
	while (data.len > 0 && is_space(data.p[data.len - 1]))
		data.len--;
	return data;
}

/* An event of type error: one that says so, or anything. */
static enum tape_status
read_error_event(struct tape_api_decoder *d, const struct tape_api *api,
    struct tape_str text, struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st = api->read(d, text, &why);

	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	if (st == TAPE_OK && !d->state->malformed && d->state->failed)
		return st;
	tape_api_event_begin(d->state);
	return tape_api_read_error_text(d->state, text, err);
}

enum tape_status
tape_api_slots_event(struct tape_api_decoder *d, const struct tape_api *api,
    struct tape_str type, struct tape_str data, struct tape_err *err)
{
	const struct tape_str text = trimmed(data);
	bool applied;
	enum tape_status st;

	if (tape_str_is(text, "[DONE]")) {
		d->state->done = true;
		return TAPE_OK;
	}
	if (tape_str_is(type, "error"))
		return read_error_event(d, api, text, err);
	if (text.len == 0)
		return TAPE_OK;
	st = tape_api_template_apply(d->state, text, &applied, err);
	if (st != TAPE_OK || applied)
		return st;
	st = api->read(d, text, err);
	if (st == TAPE_OK)
		tape_api_template_learn(d->state, text);
	return st;
}

enum tape_status
tape_api_slots_decode(struct tape_api_decoder *d, struct tape_str type,
    struct tape_str data, struct tape_err *err)
{
	return tape_api_slots_event(d, d->api, type, data, err);
}
