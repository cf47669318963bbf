/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api_slots.h"

static struct tape_api_slot *
slot_of(struct tape_api_slot *slots, size_t n, const struct tape_json_token *t)
{
	for (size_t i = 0; i < n; i++)
		if (tape_json_key_is(t, slots[i].name))
			return &slots[i];
	return NULL;
}

static enum tape_status
fill(struct tape_api_state *s, struct tape_api_slot *slot,
    const struct tape_json_token *tok, struct tape_err *err)
{
	slot->type = tok->type;
	slot->word_len = 0;
	if (tok->type == TAPE_JSON_STRING && tok->len <= sizeof(slot->word)) {
		slot->word_len = tok->len;
		memcpy(slot->word, tok->str, tok->len);
	}
	return tape_json_skip(&s->json, &slot->raw.p, &slot->raw.len, err);
}

/* A member that any dialect may have, or none of ours. */
static enum tape_status
read_other(struct tape_api_state *s, const struct tape_json_token *tok,
    struct tape_err *err)
{
	const int timing = tape_api_timing_find(tok);

	if (tape_json_key_is(tok, "llmtape"))
		return tape_api_read_stamp(s, tok, err);
	return timing >= 0 ? tape_api_read_timing(s, timing, tok, err)
			   : tape_json_skip(&s->json, NULL, NULL, err);
}

static void
clear(struct tape_api_slot *slots, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		slots[i].type = TAPE_JSON_END;
		slots[i].raw = tape_str_make(NULL, 0);
		slots[i].word_len = 0;
	}
}

static enum tape_status
read_slots(struct tape_api_state *s, struct tape_str json, bool top,
    struct tape_api_slot *slots, size_t n, struct tape_err *err)
{
	struct tape_json_token tok;
	struct tape_api_slot *slot;
	enum tape_status st;

	clear(slots, n);
	tape_json_open(&s->json, json.p, json.len, TAPE_JSON_FOREIGN);
	st = tape_json_expect(&s->json, TAPE_JSON_OBJECT, &tok, err);
	while (st == TAPE_OK) {
		st = tape_json_next(&s->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		slot = slot_of(slots, n, &tok);
		if (slot != NULL)
			st = fill(s, slot, &tok, err);
		else if (top)
			st = read_other(s, &tok, err);
		else
			st = tape_json_skip(&s->json, NULL, NULL, err);
	}
	return st == TAPE_OK ? tape_json_end(&s->json, err) : st;
}

enum tape_status
tape_api_slots_read(struct tape_api_state *s, struct tape_str json,
    struct tape_api_slot *slots, size_t n, struct tape_err *err)
{
	return read_slots(s, json, true, slots, n, err);
}

enum tape_status
tape_api_slots_within(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_api_slot *slots, size_t n, struct tape_err *err)
{
	if (of->type == TAPE_JSON_OBJECT)
		return read_slots(s, of->raw, false, slots, n, err);
	clear(slots, n);
	return TAPE_OK;
}

bool
tape_api_slot_is(const struct tape_api_slot *slot, const char *word)
{
	return slot->word_len > 0 &&
	       tape_str_is(tape_api_slot_word(slot), word);
}

bool
tape_api_slot_is_empty(const struct tape_api_slot *slot)
{
	return slot->type != TAPE_JSON_STRING || slot->raw.len <= 2;
}

struct tape_str
tape_api_slot_word(const struct tape_api_slot *slot)
{
	return tape_str_make(
	    slot->word_len > 0 ? slot->word : NULL, slot->word_len);
}

struct tape_str
tape_api_slot_items(const struct tape_api_slot *slot)
{
	if (slot->type != TAPE_JSON_ARRAY)
		return tape_str_make(NULL, 0);
	return slot->raw;
}

/* Opens the member's text and gives its first token. */
static enum tape_status
open_slot(struct tape_api_state *s, const struct tape_api_slot *slot,
    struct tape_json_token *tok, struct tape_err *err)
{
	tape_json_open(&s->json, slot->raw.p, slot->raw.len, TAPE_JSON_FOREIGN);
	return tape_json_next(&s->json, tok, err);
}

/* The token of a string; others are nothing. */
static enum tape_status
string_of(struct tape_api_state *s, const struct tape_api_slot *slot,
    struct tape_str *out, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	*out = tape_str_make(NULL, 0);
	if (slot->type != TAPE_JSON_STRING)
		return TAPE_OK;
	st = open_slot(s, slot, &tok, err);
	if (st == TAPE_OK)
		*out = tape_str_make(tok.str, tok.len);
	return st;
}

enum tape_status
tape_api_slot_text(struct tape_api_state *s, enum tape_api_kind kind,
    const struct tape_api_slot *slot, struct tape_err *err)
{
	struct tape_str text;
	enum tape_status st = string_of(s, slot, &text, err);

	if (st == TAPE_OK)
		tape_api_add_text(s, kind, text.p, text.len);
	return st;
}

enum tape_status
tape_api_slot_json(struct tape_api_state *s, enum tape_api_kind kind,
    const struct tape_api_slot *slot, struct tape_err *err)
{
	if (slot->type != TAPE_JSON_OBJECT && slot->type != TAPE_JSON_ARRAY)
		return tape_api_slot_text(s, kind, slot, err);
	tape_api_add_text(s, kind, slot->raw.p, slot->raw.len);
	return TAPE_OK;
}

enum tape_status
tape_api_slot_finish(struct tape_api_state *s, const struct tape_api_slot *slot,
    struct tape_err *err)
{
	struct tape_str text;
	enum tape_status st = string_of(s, slot, &text, err);

	if (st == TAPE_OK && text.len > 0)
		tape_api_add_finish(s, text.p, text.len);
	return st;
}

enum tape_status
tape_api_slot_id(struct tape_api_state *s, const struct tape_api_slot *slot,
    struct tape_err *err)
{
	struct tape_str text;
	enum tape_status st = string_of(s, slot, &text, err);

	if (st == TAPE_OK)
		tape_api_add_tool_id(s, text.p, text.len);
	return st;
}

enum tape_status
tape_api_slot_usage(struct tape_api_state *s, const struct tape_api_slot *slot,
    struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	if (slot->type != TAPE_JSON_OBJECT)
		return TAPE_OK;
	st = open_slot(s, slot, &tok, err);
	return st == TAPE_OK ? tape_api_read_usage(s, &tok, err) : st;
}

enum tape_status
tape_api_slot_error(struct tape_api_state *s, const struct tape_api_slot *slot,
    struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	if (slot->raw.p == NULL)
		return TAPE_OK;
	st = open_slot(s, slot, &tok, err);
	return st == TAPE_OK ? tape_api_read_error(s, &tok, err) : st;
}
