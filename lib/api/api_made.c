/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api_made.h"

#include "api/api_items.h"
#include "base/num.h"

#include <inttypes.h>

static void
begin_member(struct tape_buf *b, const char *name)
{
	(void)tape_buf_add_fmt(b, "%s\"%s\":", b->len == 0 ? "{" : ",", name);
}

void
tape_api_made_add(struct tape_api_state *s, enum tape_api_made which,
    const struct tape_api_slot *slots, size_t n)
{
	struct tape_buf *b = &s->made[which];

	for (size_t i = 0; i < n; i++) {
		if (slots[i].type != TAPE_JSON_INT &&
		    slots[i].type != TAPE_JSON_DOUBLE)
			continue;
		begin_member(b, slots[i].name);
		(void)tape_buf_add(b, slots[i].raw.p, slots[i].raw.len);
	}
}

void
tape_api_made_i64(struct tape_api_state *s, enum tape_api_made which,
    const char *name, int64_t value)
{
	begin_member(&s->made[which], name);
	(void)tape_buf_add_fmt(&s->made[which], "%" PRId64, value);
}

/* Ends the object; absent when it is empty. */
static enum tape_status
end(struct tape_api_state *s, enum tape_api_made which, struct tape_str *out,
    struct tape_err *err)
{
	struct tape_buf *b = &s->made[which];

	*out = tape_str_make(NULL, 0);
	if (b->len == 0)
		return tape_buf_status(b, err);
	if (tape_buf_add_char(b, '}') == TAPE_OK)
		*out = tape_str_make(b->data, b->len);
	return tape_buf_status(b, err);
}

enum tape_status
tape_api_made_usage(struct tape_api_state *s, struct tape_err *err)
{
	struct tape_json_token tok;
	struct tape_str text;
	enum tape_status st = end(s, TAPE_API_MADE_USAGE, &text, err);

	if (st != TAPE_OK || text.p == NULL)
		return st;
	tape_json_open(&s->json, text.p, text.len, TAPE_JSON_FOREIGN);
	st = tape_json_expect(&s->json, TAPE_JSON_OBJECT, &tok, err);
	return st == TAPE_OK ? tape_api_read_usage(s, &tok, err) : st;
}

void
tape_api_take_timing(
    struct tape_api_state *s, const char *name, struct tape_str json)
{
	struct tape_json_token key = { .key = name, .key_len = strlen(name) };
	const int which = tape_api_timing_find(&key);

	if (which >= 0)
		s->timing[which] = json;
}

enum tape_status
tape_api_made_timing(
    struct tape_api_state *s, const char *name, struct tape_err *err)
{
	struct tape_str text;
	enum tape_status st = end(s, TAPE_API_MADE_TIMING, &text, err);

	if (st == TAPE_OK && text.p != NULL)
		tape_api_take_timing(s, name, text);
	return st;
}

bool
tape_api_slot_i64(const struct tape_api_slot *slot, int64_t *out)
{
	char digits[32];
	struct tape_err why = { 0 };

	if (slot->type != TAPE_JSON_INT || slot->raw.len >= sizeof(digits))
		return false;
	memcpy(digits, slot->raw.p, slot->raw.len);
	digits[slot->raw.len] = '\0';
	return tape_num_i64(digits, INT64_MIN, INT64_MAX, out, &why) == TAPE_OK;
}

bool
tape_api_slot_index(const struct tape_api_slot *slot, int64_t *out)
{
	int64_t n;

	if (slot->raw.p == NULL || slot->type == TAPE_JSON_NULL)
		return true;
	if (!tape_api_slot_i64(slot, &n) || n < 0 || n > INT32_MAX)
		return false;
	*out = n;
	return true;
}

static bool
is_list(struct tape_str text)
{
	size_t i = 0;

	while (i < text.len && strchr(" \t\r\n", text.p[i]) != NULL)
		i++;
	return i < text.len && text.p[i] == '[';
}

/* What the object before has left for the event. */
static void
forget_counts(struct tape_api_state *s)
{
	s->usages_n = 0;
	for (size_t i = 0; i < TAPE_API_MADE; i++)
		tape_buf_clear(&s->made[i]);
	for (size_t i = 0; i < TAPE_API_TIMINGS; i++)
		s->timing[i] = tape_str_make(NULL, 0);
}

enum tape_status
tape_api_slots_each(struct tape_api_decoder *d,
    enum tape_status (*read)(
	struct tape_api_decoder *d, struct tape_str data, struct tape_err *err),
    struct tape_str body, struct tape_err *err)
{
	struct tape_str rest, item;
	enum tape_status st;

	if (!is_list(body))
		return read(d, body, err);
	st = tape_api_items_open(body, &rest, err);
	while (st == TAPE_OK && tape_api_items_next(&rest, &item)) {
		forget_counts(d->state);
		st = read(d, item, err);
	}
	return st;
}
