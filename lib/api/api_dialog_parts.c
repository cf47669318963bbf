/* SPDX-License-Identifier: GPL-3.0-or-later */
/* api_dialog: contents of parts (Gemini). */
#include "api/api_dialog.h"

/*
 * A part of chat's, {"type":"text","text":"..."}, or one of Gemini's, which has
 * no type.
 */
static enum tape_status
add_part(struct tape_api_dialog *g, struct tape_str item, struct tape_buf *out,
    struct tape_err *err)
{
	struct tape_err why = { 0 };
	struct tape_str type, text;
	enum tape_status st;

	st = tape_api_fields_read(&g->part, item, TAPE_JSON_FOREIGN, &why);
	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	type = tape_api_dialog_member(&g->part, "type");
	text = tape_api_dialog_member(&g->part, "text");
	if (st == TAPE_OK && type.p == NULL) {
		tape_api_dialog_add(out, item);
		return TAPE_OK;
	}
	if (st != TAPE_OK || !tape_str_is(type, "\"text\"") || text.p == NULL)
		return tape_err_set(err, TAPE_E_USAGE,
		    "the gemini API cannot say a part of type %.*s",
		    tape_str_shown(st == TAPE_OK ? type : item, 40),
		    st == TAPE_OK ? type.p : item.p);
	(void)tape_buf_add_str(out, "{\"text\":");
	tape_api_dialog_add(out, text);
	(void)tape_buf_add_char(out, '}');
	return TAPE_OK;
}

/* The parts of a message, behind others if *any. */
static enum tape_status
add_parts(struct tape_api_dialog *g, struct tape_buf *out, bool *any,
    struct tape_err *err)
{
	struct tape_str parts = tape_api_dialog_member(&g->fields, "parts");
	struct tape_str item;
	enum tape_status st = TAPE_OK;

	if (parts.p == NULL)
		parts = tape_api_dialog_member(&g->fields, "content");
	if (parts.p == NULL || *parts.p != '[') {
		tape_api_dialog_comma(out, any);
		(void)tape_buf_add_str(out, "{\"text\":");
		tape_api_dialog_add(
		    out, parts.p != NULL ? parts : tape_str_of("\"\""));
		(void)tape_buf_add_char(out, '}');
		return TAPE_OK;
	}
	while (st == TAPE_OK && tape_api_items_next(&parts, &item)) {
		tape_api_dialog_comma(out, any);
		st = add_part(g, item, out, err);
	}
	return st;
}

static enum tape_status
add_system(
    struct tape_api_body *b, struct tape_api_dialog *g, struct tape_err *err)
{
	enum tape_status st;
	bool more, begun = false, any = false;

	for (;;) {
		st = tape_api_dialog_next(g, &more, err);
		if (st != TAPE_OK || !more)
			break;
		if (!tape_api_dialog_is_system(g))
			continue;
		if (!begun && !tape_api_body_field(b, "systemInstruction"))
			return TAPE_OK;
		if (!begun)
			(void)tape_buf_add_str(b->out, "{\"parts\":[");
		begun = true;
		st = add_parts(g, b->out, &any, err);
		if (st != TAPE_OK)
			return st;
	}
	if (begun)
		(void)tape_buf_add_str(b->out, "]}");
	return st;
}

static enum tape_status
add_message(
    struct tape_api_dialog *g, struct tape_buf *out, struct tape_err *err)
{
	const struct tape_str role = tape_api_dialog_member(&g->fields, "role");
	const bool model = tape_str_is(role, "\"assistant\"") ||
			   tape_str_is(role, "\"model\"");
	enum tape_status st;
	bool any = false;

	if (!model && role.p != NULL && !tape_str_is(role, "\"user\""))
		return tape_err_set(err, TAPE_E_USAGE,
		    "the gemini API takes no message of role %.*s",
		    tape_str_shown(role, 40), role.p);
	(void)tape_buf_add_fmt(
	    out, "{\"role\":\"%s\",\"parts\":[", model ? "model" : "user");
	st = add_parts(g, out, &any, err);
	(void)tape_buf_add_str(out, "]}");
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
		if (tape_api_dialog_is_system(g))
			continue;
		tape_api_dialog_comma(out, &any);
		st = add_message(g, out, err);
		if (st != TAPE_OK)
			break;
	}
	(void)tape_buf_add_char(out, ']');
	return st;
}

static enum tape_status
add_prompt(struct tape_api_body *b, struct tape_err *err)
{
	enum tape_status st;

	(void)tape_buf_add_str(
	    b->out, "[{\"role\":\"user\",\"parts\":[{\"text\":");
	st = tape_api_body_prompt(b, err);
	(void)tape_buf_add_str(b->out, "}]}]");
	return st;
}

enum tape_status
tape_api_dialog_parts(struct tape_api_body *b, struct tape_err *err)
{
	const struct tape_str messages = b->ask->input->messages;
	struct tape_api_dialog g = { 0 };
	enum tape_status st = TAPE_OK;

	if (messages.p == NULL)
		return tape_api_body_field(b, "contents") ? add_prompt(b, err)
							  : TAPE_OK;
	st = tape_api_dialog_rewind(&g, messages, err);
	if (st == TAPE_OK)
		st = add_system(b, &g, err);
	if (st == TAPE_OK && tape_api_body_field(b, "contents")) {
		st = tape_api_dialog_rewind(&g, messages, err);
		if (st == TAPE_OK)
			st = add_messages(&g, b->out, err);
	}
	tape_api_dialog_release(&g);
	return st;
}
