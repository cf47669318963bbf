/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replicate's predictions, to be read: a stream has its text as it is in events
 * of type output, and ends with one of type done.  It is fetched from an
 * address that the answer of a POST has, so there is nothing to replay but
 * verbatim bodies.
 */
#include "api/api_body.h"
#include "api/api_slots.h"
#include "api/api_table.h"
#include "base/utf8.h"

static enum tape_status
render(struct tape_api_body *b, struct tape_err *err)
{
	(void)b;
	return tape_err_set(err, TAPE_E_USAGE,
	    "--api replicate makes no request bodies: give a trace with "
	    "verbatim ones");
}

/* A string, or a list of them. */
static enum tape_status
read_output(struct tape_api_state *s, struct tape_api_slot *output,
    struct tape_err *err)
{
	struct tape_str rest = tape_api_slot_items(output);
	struct tape_api_slot one = { .type = TAPE_JSON_STRING };
	enum tape_status st =
	    tape_api_slot_text(s, TAPE_API_CONTENT, output, err);

	while (st == TAPE_OK && tape_api_items_next(&rest, &one.raw))
		if (*one.raw.p == '"')
			st = tape_api_slot_text(s, TAPE_API_CONTENT, &one, err);
	return st;
}

/* {"status":"succeeded","output":["..."],"error":null} */
static enum tape_status
decode_body(
    struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	enum { OUTPUT, STATUS, ERROR, N };
	struct tape_api_slot m[N] = { [OUTPUT] = { .name = "output" },
		[STATUS] = { .name = "status" },
		[ERROR] = { .name = "error" } };
	struct tape_api_state *s = d->state;
	enum tape_status st = tape_api_slots_read(s, body, m, N, err);

	if (st == TAPE_OK && tape_api_choice_begin(s, err) == NULL)
		st = TAPE_E_NOMEM;
	if (st == TAPE_OK)
		st = read_output(s, &m[OUTPUT], err);
	if (st == TAPE_OK)
		st = tape_api_slot_finish(s, &m[STATUS], err);
	return st == TAPE_OK ? tape_api_slot_error(s, &m[ERROR], err) : st;
}

/* {} or {"reason":"canceled"}. */
static enum tape_status
read_done(
    struct tape_api_decoder *d, struct tape_str data, struct tape_err *err)
{
	struct tape_api_slot reason = { .name = "reason" };
	struct tape_api_state *s = d->state;
	enum tape_status st = tape_api_slots_read(s, data, &reason, 1, err);

	s->done = true;
	if (st == TAPE_OK && tape_api_choice_begin(s, err) == NULL)
		st = TAPE_E_NOMEM;
	return st == TAPE_OK ? tape_api_slot_finish(s, &reason, err) : st;
}

static enum tape_status
decode(struct tape_api_decoder *d, struct tape_str type, struct tape_str data,
    struct tape_err *err)
{
	struct tape_api_state *s = d->state;

	if (tape_str_is(type, "done"))
		return read_done(d, data, err);
	if (tape_str_is(type, "error"))
		return tape_api_read_error_text(s, data, err);
	if (!tape_str_is(type, "output"))
		return TAPE_OK;
	if (tape_api_choice_begin(s, err) == NULL)
		return TAPE_E_NOMEM;
	if (!tape_utf8_valid(data.p, data.len))
		s->malformed = true;
	else
		tape_api_add_text(s, TAPE_API_CONTENT, data.p, data.len);
	return TAPE_OK;
}

const struct tape_api tape_api_replicate = {
	.name = "replicate",
	.path = "/v1/predictions",
	.render = render,
	.decode = decode,
	.decode_body = decode_body,
};
