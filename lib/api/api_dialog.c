/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api_dialog.h"

enum tape_status
tape_api_no_tokens(const char *api, struct tape_err *err)
{
	return tape_err_set(err, TAPE_E_USAGE,
	    "the %s API takes no token ids: use completions", api);
}

static enum tape_status
bad_messages(enum tape_status st, struct tape_err *err)
{
	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	return tape_err_set(
	    err, TAPE_E_USAGE, "the messages are no JSON array of objects");
}

enum tape_status
tape_api_dialog_rewind(
    struct tape_api_dialog *g, struct tape_str messages, struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st = tape_api_items_open(messages, &g->rest, &why);

	return st == TAPE_OK ? TAPE_OK : bad_messages(st, err);
}

void
tape_api_dialog_release(struct tape_api_dialog *g)
{
	tape_api_fields_release(&g->fields);
	tape_api_fields_release(&g->part);
}

enum tape_status
tape_api_dialog_next(
    struct tape_api_dialog *g, bool *more, struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st;

	*more = tape_api_items_next(&g->rest, &g->raw);
	if (!*more)
		return TAPE_OK;
	st = tape_api_fields_read(&g->fields, g->raw, TAPE_JSON_FOREIGN, &why);
	return st == TAPE_OK ? TAPE_OK : bad_messages(st, err);
}

struct tape_str
tape_api_dialog_member(const struct tape_api_fields *f, const char *name)
{
	const struct tape_api_field *field =
	    tape_api_fields_find(f, tape_str_of(name));

	return field == NULL || field->null ? tape_str_make(NULL, 0)
					    : field->value;
}

bool
tape_api_dialog_has_role(const struct tape_api_dialog *g, const char *json)
{
	return tape_str_is(tape_api_dialog_member(&g->fields, "role"), json);
}

bool
tape_api_dialog_is_system(const struct tape_api_dialog *g)
{
	return tape_api_dialog_has_role(g, "\"system\"") ||
	       tape_api_dialog_has_role(g, "\"developer\"");
}

void
tape_api_dialog_add(struct tape_buf *out, struct tape_str text)
{
	(void)tape_buf_add(out, text.p, text.len);
}

void
tape_api_dialog_comma(struct tape_buf *out, bool *any)
{
	if (*any)
		(void)tape_buf_add_char(out, ',');
	*any = true;
}

enum tape_status
tape_api_dialog_chat(struct tape_api_body *b, struct tape_err *err)
{
	const struct tape_input *in = b->ask->input;
	enum tape_status st = TAPE_OK;

	if (in->messages.p != NULL) {
		tape_api_body_raw(b, "messages", in->messages);
	} else if (tape_api_body_field(b, "messages")) {
		(void)tape_buf_add_str(
		    b->out, "[{\"role\":\"user\",\"content\":");
		st = tape_api_body_prompt(b, err);
		(void)tape_buf_add_str(b->out, "}]");
	}
	return st;
}
