/* SPDX-License-Identifier: GPL-3.0-or-later */
/* api_dialog: the input of OpenAI's responses. */
#include "api/api_dialog.h"

/* A part of text has another name on each side; others are as they are. */
static enum tape_status
add_part(struct tape_api_dialog *g, struct tape_str item, struct tape_buf *out,
    struct tape_err *err)
{
	const char *type = tape_api_dialog_has_role(g, "\"assistant\"")
			       ? "\"output_text\""
			       : "\"input_text\"";
	struct tape_err why = { 0 };
	enum tape_status st;

	st = tape_api_fields_read(&g->part, item, TAPE_JSON_FOREIGN, &why);
	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	if (st != TAPE_OK ||
	    !tape_str_is(
		tape_api_dialog_member(&g->part, "type"), "\"text\"")) {
		tape_api_dialog_add(out, item);
		return TAPE_OK;
	}
	for (size_t i = 0; i < g->part.n && st == TAPE_OK; i++) {
		struct tape_api_field f = g->part.v[i];

		if (tape_str_is(f.key, "type"))
			f.value = tape_str_of(type);
		(void)tape_buf_add_char(out, i == 0 ? '{' : ',');
		st = tape_api_field_write(&f, true, out, err);
	}
	(void)tape_buf_add_char(out, '}');
	return st;
}

static enum tape_status
add_content(struct tape_api_dialog *g, struct tape_str content,
    struct tape_buf *out, struct tape_err *err)
{
	struct tape_str item;
	enum tape_status st = TAPE_OK;
	bool any = false;

	if (*content.p != '[') {
		tape_api_dialog_add(out, content);
		return TAPE_OK;
	}
	(void)tape_buf_add_char(out, '[');
	while (st == TAPE_OK && tape_api_items_next(&content, &item)) {
		tape_api_dialog_comma(out, &any);
		st = add_part(g, item, out, err);
	}
	(void)tape_buf_add_char(out, ']');
	return st;
}

static enum tape_status
add_message(
    struct tape_api_dialog *g, struct tape_buf *out, struct tape_err *err)
{
	const struct tape_api_fields *f = &g->fields;
	enum tape_status st = TAPE_OK;

	if (f->n == 0)
		(void)tape_buf_add_char(out, '{');
	for (size_t i = 0; i < f->n && st == TAPE_OK; i++) {
		(void)tape_buf_add_char(out, i == 0 ? '{' : ',');
		if (!tape_str_is(f->v[i].key, "content")) {
			st = tape_api_field_write(&f->v[i], true, out, err);
			continue;
		}
		(void)tape_buf_add_str(out, "\"content\":");
		st = add_content(g, f->v[i].value, out, err);
	}
	(void)tape_buf_add_char(out, '}');
	return st;
}

static enum tape_status
add_messages(
    struct tape_api_dialog *g, struct tape_buf *out, struct tape_err *err)
{
	enum tape_status st;
	bool more, any = false;

	(void)tape_buf_add_char(out, '[');
	for (;;) {
		st = tape_api_dialog_next(g, &more, err);
		if (st != TAPE_OK || !more)
			break;
		tape_api_dialog_comma(out, &any);
		st = add_message(g, out, err);
		if (st != TAPE_OK)
			break;
	}
	(void)tape_buf_add_char(out, ']');
	return st;
}

enum tape_status
tape_api_dialog_input(struct tape_api_body *b, struct tape_err *err)
{
	const struct tape_str messages = b->ask->input->messages;
	struct tape_api_dialog g = { 0 };
	enum tape_status st;

	if (!tape_api_body_field(b, "input"))
		return TAPE_OK;
	if (messages.p == NULL)
		return tape_api_body_prompt(b, err);
	st = tape_api_dialog_rewind(&g, messages, err);
	if (st == TAPE_OK)
		st = add_messages(&g, b->out, err);
	tape_api_dialog_release(&g);
	return st;
}
