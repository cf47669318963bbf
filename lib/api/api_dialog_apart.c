/* SPDX-License-Identifier: GPL-3.0-or-later */
/* api_dialog: the system apart from the messages (Anthropic). */
#include "api/api_dialog.h"

/* Blocks of Anthropic's, from a message's content. */
static void
add_blocks(struct tape_buf *out, struct tape_str content, bool *any)
{
	struct tape_str item;

	if (content.p != NULL && *content.p == '[') {
		while (tape_api_items_next(&content, &item)) {
			tape_api_dialog_comma(out, any);
			tape_api_dialog_add(out, item);
		}
	} else if (content.p != NULL) {
		tape_api_dialog_comma(out, any);
		(void)tape_buf_add_str(out, "{\"type\":\"text\",\"text\":");
		tape_api_dialog_add(out, content);
		(void)tape_buf_add_char(out, '}');
	}
}

/* The field system, if there is something for it. */
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
		if (!begun && !tape_api_body_field(b, "system"))
			return TAPE_OK;
		if (!begun)
			(void)tape_buf_add_char(b->out, '[');
		begun = true;
		add_blocks(b->out,
		    tape_api_dialog_member(&g->fields, "content"), &any);
	}
	if (begun)
		(void)tape_buf_add_char(b->out, ']');
	return st;
}

static enum tape_status
add_others(
    struct tape_api_body *b, struct tape_api_dialog *g, struct tape_err *err)
{
	enum tape_status st;
	bool more, any = false;

	(void)tape_buf_add_char(b->out, '[');
	for (;;) {
		st = tape_api_dialog_next(g, &more, err);
		if (st != TAPE_OK || !more)
			break;
		if (tape_api_dialog_is_system(g))
			continue;
		if (tape_api_dialog_has_role(g, "\"tool\""))
			return tape_err_set(err, TAPE_E_USAGE,
			    "the messages API takes no message of role tool: "
			    "it has tool_result in one of the user");
		tape_api_dialog_comma(b->out, &any);
		tape_api_dialog_add(b->out, g->raw);
	}
	(void)tape_buf_add_char(b->out, ']');
	return st;
}

enum tape_status
tape_api_dialog_apart(struct tape_api_body *b, struct tape_err *err)
{
	const struct tape_str messages = b->ask->input->messages;
	struct tape_api_dialog g = { 0 };
	enum tape_status st;

	if (messages.p == NULL)
		return tape_api_dialog_chat(b, err);
	st = tape_api_dialog_rewind(&g, messages, err);
	if (st == TAPE_OK)
		st = add_system(b, &g, err);
	if (st == TAPE_OK && tape_api_body_field(b, "messages")) {
		st = tape_api_dialog_rewind(&g, messages, err);
		if (st == TAPE_OK)
			st = add_others(b, &g, err);
	}
	tape_api_dialog_release(&g);
	return st;
}
