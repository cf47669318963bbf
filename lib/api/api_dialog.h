/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_dialog: the messages of an input in the forms of dialects other than
 * chat.
 *
 * The neutral messages are those of chat: {"role":"system|developer|user|
 * assistant","content":"..." or [{"type":"text","text":"..."},...]}.  What else
 * a message has goes as it is, so one may be in the dialect's own shape; what a
 * dialect surely cannot say is refused.  An input of text or blocks is one
 * message of the user.
 *
 * TAPE_E_USAGE for what a dialect cannot say and for messages that are no array
 * of objects.  Fields that params or extra override are left out.
 */
#ifndef TAPE_API_API_DIALOG_H
#define TAPE_API_API_DIALOG_H

#include "api/api_body.h"
#include "api/api_items.h"

/* "messages" as in chat. */
enum tape_status tape_api_dialog_chat(
    struct tape_api_body *b, struct tape_err *err) TAPE_NODISCARD;

/* "system" with the texts of system messages, "messages" with the others
   (Anthropic). */
enum tape_status tape_api_dialog_apart(
    struct tape_api_body *b, struct tape_err *err) TAPE_NODISCARD;

/* "input": a string, or messages whose parts of text have the type of their
   side (OpenAI's responses). */
enum tape_status tape_api_dialog_input(
    struct tape_api_body *b, struct tape_err *err) TAPE_NODISCARD;

/* "systemInstruction" and "contents", of parts (Gemini). */
enum tape_status tape_api_dialog_parts(
    struct tape_api_body *b, struct tape_err *err) TAPE_NODISCARD;

/* For the files of api_dialog: the messages, one after the other.  A zeroed
   struct is fit for rewind. */
struct tape_api_dialog {
	struct tape_str rest;
	struct tape_str raw;           /* the message in hand, */
	struct tape_api_fields fields; /* its members, */
	struct tape_api_fields part;   /* and those of a part, for the caller */
};

enum tape_status tape_api_dialog_rewind(struct tape_api_dialog *g,
    struct tape_str messages, struct tape_err *err) TAPE_NODISCARD;

/* The next message; *more is false behind the last one. */
enum tape_status tape_api_dialog_next(
    struct tape_api_dialog *g, bool *more, struct tape_err *err) TAPE_NODISCARD;
void tape_api_dialog_release(struct tape_api_dialog *g);

/* JSON text of a member; absent: none, or null.  What the message's role is,
   as JSON. */
struct tape_str tape_api_dialog_member(
    const struct tape_api_fields *f, const char *name);
bool tape_api_dialog_has_role(
    const struct tape_api_dialog *g, const char *json);
bool tape_api_dialog_is_system(const struct tape_api_dialog *g);

/* Append a text; a comma if *any, which is set. */
void tape_api_dialog_add(struct tape_buf *out, struct tape_str text);
void tape_api_dialog_comma(struct tape_buf *out, bool *any);

/* The refusal of an input of token ids. */
enum tape_status tape_api_no_tokens(const char *api, struct tape_err *err);

#endif
